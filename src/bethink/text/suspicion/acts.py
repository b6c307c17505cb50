# ruff: noqa: E501  (a table of patterns: a line broken in the middle of one is harder to read)
"""Rules for text that wants something done: tools called, data sent away.

A command in a README and "send the report to finance@example.com" are ordinary; they weigh little
alone. Together with somebody who addresses the agent, with a download that is run unseen, or with
credentials as what is sent, they weigh enough.
"""

from __future__ import annotations

from functools import cache

from bethink.text.suspicion.findings import EXFILTRATION, TOOL_CALL, Rule, rule, words
from bethink.text.suspicion.orders import AI, AI_CUE

_GAP = r"[^\n!?。！？]{0,60}?"
_NOT = r"(?<!not )(?<!n't )(?<!never )(?<!n’t )(?<!不要)(?<!不得)(?<!别)(?<!切勿)(?<!禁止)"
_ADDRESS = r"(?:https?://|[\w.+-]{1,64}@[\w-]{1,60}\.)"
_SEND = (
    _NOT + r"(?:" + words(
        r"send|forward|mail|e-?mail|post|upload|submit|transmit|leak|exfiltrate|relay|deliver|copy|paste|"
        r"push|report|share|dispatch|stream|pipe|attach"
    )
    + r"|发送|发到|发给|发至|发往|寄|转发|上传|提交|贴到|传送|传到|传给|泄露|同步到|回传|上报|汇报|抄送|推送|递交)"
)  # fmt: skip
_SENSITIVE = (
    r"(?:"
    + words(
        r"(?:conversation|chat|message) (?:history|logs?)|(?:full|whole|entire|complete|this) conversation|"
        r"conversations|credentials?|passwords?|(?:api|access|secret|private|ssh)[ _-]?keys?|(?:access |auth )?"
        r"tokens?|secrets|system prompt|(?:your|all|stored|the user's) memor(?:y|ies)|environment variables?|"
        r"env vars|customer (?:list|data|records?)|user'?s? (?:data|e-?mail(?: address)?|details|notes|files|"
        r"profile|address)|personal (?:data|information|details)|everything you know|all (?:the |your |his |her )?"
        r"(?:notes|messages|files|data|documents|contacts)|contact list|(?:credit )?card numbers?|cookies|"
        r"session ids?|bank (?:details|account)|what the user (?:said|wrote|typed)"
    )
    + r"|id_rsa|\.env(?![a-z])|~/\.(?:ssh|aws)|/etc/(?:passwd|shadow)|(?:对话|聊天|会话)(?:记录|历史|内容)|"
    r"完整(?:的)?对话|密钥|密码|令牌|凭证|凭据|系统提示词?|(?:全部|所有|你的)(?:记忆|笔记|资料|文件|数据|消息|联系人)|私钥|"
    r"环境变量|客户(?:名单|数据|资料|信息)|用户的?(?:资料|数据|邮箱|信息|隐私|文件|笔记|地址)|个人(?:信息|资料|数据)|通讯录|"
    r"卡号|银行(?:账户|账号|信息)|你知道的(?:一切|所有))"
)


@cache
def rules() -> tuple[Rule, ...]:
    return (*_shapes(), *_commands(), *_lures(), *_sending(), *_revealing())


def _shapes() -> tuple[Rule, ...]:
    """What looks like a call that a model makes."""
    return (
        rule(
            TOOL_CALL,
            0.5,
            '"arguments "parameters "args "input "action_input "tool_input "参数 "输入 "入参',
            r"[\"“](?:tool|tool_name|function|function_call|name|action|recipient_name|工具|函数|动作|工具名|名称)[\"”]"
            r"\s{0,4}:\s{0,4}[\"“][^\"”\n]{1,60}[\"”]\s{0,4},\s{0,8}[\"“](?:arguments|parameters|args|input|"
            r"action_input|tool_input|params|参数|输入|入参)[\"”]\s{0,4}:",
        ),
        rule(
            TOOL_CALL,
            0.5,
            "<tool <function <invoke </tool </function </invoke [tool ```tool <工具",
            r"</?(?:function_calls?|tool_calls?|tool_use|tool_code|invoke|tool|functions?|execute_\w{1,20}|工具调用|"
            r"调用工具)(?:\s[^>\n]{0,80})?>|<(?:invoke|function|tool)\s?[=:]|\[tool_calls?\]|```tool_(?:call|code)",
        ),
        rule(
            TOOL_CALL,
            0.5,
            "action 动作 行动",
            r"(?:^|\n)\s{0,3}(?:action|动作|行动)\s?[:：][^\n]{1,60}\n\s{0,3}(?:action input|动作输入|行动输入|输入)\s?[:：]",
        ),
    )


def _commands() -> tuple[Rule, ...]:
    """Commands that harm where they are run, or that run what nobody has read."""
    return (
        rule(
            TOOL_CALL, 0.35, "curl wget iwr invoke-webrequest irm",
            r"(?<![\w-])(?:curl|wget|iwr|irm|invoke-webrequest)\s[^\n|]{1,200}\|\s{0,3}(?:sudo\s{1,3})?"
            r"(?:(?:ba|z|da|k)?sh|python3?|perl|ruby|node|iex|php)(?![\w-])"
            r"|(?<![\w-])(?:bash|sh|zsh|eval)\s{1,3}(?:-c\s{1,3})?[\"']?(?:<\(|\$\()\s{0,2}(?:curl|wget)\s",
        ),
        rule(
            TOOL_CALL, 0.35, "curl wget",
            r"(?<![\w-])(?:curl|wget)\s[^\n]{1,160}?(?:;|&&)\s{0,3}(?:sudo\s{1,3})?(?:(?:ba|z)?sh\s|chmod\s|\./|python)",
        ),
        rule(  # somewhere that nobody vouches for: not TLS, or a bare public number
            TOOL_CALL, 0.25, "http://",
            r"http://(?!localhost|127\.|0\.0\.0\.0|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|[\w-]{1,40}[:/]|"
            r"[\w.-]{1,60}\.(?:local|internal|lan|test|localhost)\b)[^\s\"'<>]{1,100}\.(?:sh|ps1|exe|bin|py|bat|msi|dmg|"
            r"apk|jar)(?![\w])|--(?:extra-)?index-url[ =]http://|--registry[ =]http://|"
            r"https?://(?!127\.|0\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)\d{1,3}(?:\.\d{1,3}){3}(?![\d.])",
        ),
        rule(
            TOOL_CALL, 0.35, "-rf -fr -r mkfs. if=/dev /q --force -f",
            r"(?<![\w-])rm\s{1,3}-(?:rf|fr|r\s-f)\w?\s{1,3}(?:--no-preserve-root\s)?[\"']?(?:~|/(?!tmp/|var/tmp)|\$home|\*|"
            r"\.\./|\.\s)|(?<![\w-])mkfs\.|(?<![\w-])dd\s{1,3}if=/dev/(?:zero|u?random)\s{1,3}of=/dev/|"
            r"(?<![\w-])(?:del|rd)\s{1,3}/s\s{1,3}/q|git push (?:--force|-f) [^\n]{0,40}(?:main|master)",
        ),
        rule(
            TOOL_CALL, 0.5, "powershell pwsh /dev/tcp ncat -e iex mshta certutil",
            r"(?:powershell|pwsh)(?:\.exe)?\s[^\n]{0,60}?-(?:e|en|enc|encodedcommand|w(?:indowstyle)?\s{1,3}hidden)(?![a-z])|"
            r"/dev/tcp/|(?<![\w-])nc(?:at)?\s[^\n]{0,60}\s-[ec]\s|iex\s{0,3}\(|(?<![\w-])mshta\s{1,3}http|"
            r"certutil\s[^\n]{0,60}-urlcache",
        ),
        rule(
            TOOL_CALL, 0.3, "crontab authorized_keys .bashrc .zshrc .profile /etc/ launchagents sudoers settings.json mcp.json",
            r"(?:>>|" + words(r"write|append|add|echo|put|insert") + r"|写进|写入|追加|加到|加入|添加)"
            + r"[^\n]{0,100}?(?:crontab|authorized_keys|\.(?:bash|zsh)rc|\.profile|/etc/(?:passwd|hosts|cron|sudoers)|"
            r"launchagents|sudoers|mcp\.json|\.claude/settings)",
        ),
        rule(
            TOOL_CALL, 0.3, "index-url registry git+http",
            r"--(?:extra-)?index-url[ =]https?://(?!(?:[\w-]{1,40}\.){0,3}(?:pypi\.org|pytorch\.org|tuna\.tsinghua|"
            r"aliyun\.com|[\w-]{1,40}\.internal))|--registry[ =]http://",
        ),
    )  # fmt: skip


def _lures() -> tuple[Rule, ...]:
    """Asking the agent to use what it can use."""
    act = (
        words(
            r"run|execute|invoke|launch|trigger|install|download|delete|fetch|browse to|(?:call|start|open|visit) "
            r"(?:the |your |a |this )?(?:[\w-]{1,20} )?(?:tool|function|shell|terminal|script|command|browser|page|link|url)|"
            r"(?:open|visit) https?:"
        )
        + "|运行|执行|调用|启动|触发|打开|下载|安装|删除|访问|拉取"
    )
    tool = (
        words(r"(?:tools?|functions?|plugins?|shell|terminal|command line|browser|mcp(?: server)?|file ?system|"
              r"python interpreter|code interpreter)")
        + r"|工具|命令行|终端|函数|插件|脚本|浏览器|解释器|shell"
    )  # fmt: skip
    calling = words("call (?:the |your |this )?(?:tool|function)")
    return (
        rule(
            TOOL_CALL, 0.2, "tool function plugin shell terminal command browser mcp interpreter 工具 命令行 终端 函数 插件 脚本 浏览器 解释器",
            rf"{_NOT}(?:(?:{act}|{words('use|using')}|用|使用){_GAP}(?:{tool})|{calling})",
        ),
        rule(
            TOOL_CALL, 0.3, "answer respond reply immediately now away once 回答 回复 立即 立刻 马上 之前先 现在就",
            r"(?:" + words(r"before (?:you )?(?:answer|respond|reply|continu)\w{0,3}|immediately|right away|right now|"
                           r"at once|as your (?:first|next) (?:step|action)")
            + r"|(?:回答|回复|继续|答复)(?:用户|问题)?(?:之?前)|立即|立刻|马上|现在就)"
            + rf"[^\n!?。！？]{{0,30}}?(?:{act})"
            + rf"|(?:{act})[^\n!?。！？]{{0,60}}?" + words(r"before (?:you )?(?:answer|respond|reply)\w{0,3}|immediately|right away|"
                                                          r"at once|without (?:reading|asking|checking|telling|confirm)\w{0,3}"),
        ),
        rule(
            TOOL_CALL, 0.3, AI_CUE + " & run execut invoke launch trigger install download delete fetch browse call start open visit "
            "transfer wire purchase approve 运行 执行 调用 启动 触发 打开 下载 安装 删除 访问 拉取 转账 购买 批准",
            rf"{AI}(?: (?:should|must|shall|needs? to|has to|is to)|: (?:use|please|now)|\s?[:：,，]?(?:请|应|须|必须|立即|立刻|的下一步))"
            rf"[^\n.!?。！？]{{0,30}}?"
            rf"(?:{act}|" + words(r"transfer|wire|purchase|approve") + r"|转账|购买|批准)",
        ),
        rule(
            TOOL_CALL, 0.4, "delete_ send_ transfer_ drop_ remove_ pay_ wire_ grant_ disable_ write_ run_ exec",
            rf"{_NOT}(?:{words('call|invoke|use|run|trigger|execute|with')}|调用|执行|使用|运行|触发|用)[\s`\"'“:：]{{0,4}}(?:the |a )?(?:tool |function |工具 ?|函数 ?)?"
            r"[`\"']?(?:delete|send|transfer|drop|remove|pay|wire|grant|disable|write|run|exec(?:ute)?)_\w{2,30}",
        ),
        rule(
            TOOL_CALL, 0.35, "paste copy 粘贴 复制",
            words(r"paste|copy") + r"[^\n.!?。]{0,60}?" + words(r"(?:in|into|to) (?:the|your|a) (?:terminal|shell|console|"
                                                                r"command line|powershell)")
            + r"|(?:粘贴|复制)(?:到|进|至)[^\n。]{0,6}(?:终端|控制台|命令行|shell)",
        ),
        rule(
            TOOL_CALL, 0.25, "without reading 不用看 无需查看 不必看 不用检查",
            words(r"without (?:reading|looking at|inspecting|checking) (?:it|them|the)") + "|without reading|不用看内容|无需查看|不必查看|不用检查内容",
        ),
        rule(
            TOOL_CALL, 0.35, "enter fill type provide use supply 填入 输入 填写 提供 & credential password login api 账号 密码 凭证 凭据 登录",
            _NOT + words(r"enter|fill in|type(?: in)?|provide|use|supply") + r"[^\n.!?。]{0,20}?"
            + words(r"(?:stored|saved|user's|your|his|her|cached) (?:credentials|passwords?|login|api key)")
            + r"|(?:填入|输入|填写|提供)(?:保存|存储|用户|已存|缓存)的?(?:账号|密码|凭证|凭据|登录信息)",
        ),
        rule(
            TOOL_CALL, 0.3, "transfer wire purchase buy pay approve 转账 汇款 付款 购买 打款",
            words(r"transfer|wire|send|pay")
            + r" (?:the |all |any )?(?:[$€¥£]\s?\d|\d[\d,.]{0,12} ?(?:usd|eur|btc|eth|usdt|dollars|euros|yuan|coins?))"
            + r"[^\n!?。]{0,60}?" + words(r"(?:to|into) (?:the )?(?:account|wallet|iban|address)")
            + r"|(?:转账|汇款|打款|付款)[^\n。]{0,30}?(?:到|至|给)[^\n。]{0,10}(?:账户|账号|钱包|卡)",
        ),
    )  # fmt: skip


def _sending() -> tuple[Rule, ...]:
    return (
        rule(
            EXFILTRATION, 0.2, "http @",
            rf"{_SEND}{_GAP}{_ADDRESS}",
        ),
        rule(
            EXFILTRATION, 0.4,
            "send forward mail post upload submit transmit leak exfiltrate relay deliver copy paste push report share "
            "dispatch stream attach pipe 发 寄 上传 提交 贴到 传 泄露 同步 上报 汇报 推送 递交 & conversation history log credential "
            "password key token secret prompt memor environment vars customer user personal know notes messages files data documents "
            "contact card cookie session bank id_rsa .env .ssh .aws /etc/ 记录 历史 内容 对话 密 令牌 凭 提示 记忆 笔记 资料 文件 数据 消息 "
            "联系人 环境变量 名单 信息 邮箱 隐私 地址 通讯录 卡号 银行 知道",
            rf"(?:{_SEND}{_GAP}{_SENSITIVE}[^\n!?。！？]{{0,80}}?(?:{_ADDRESS}|"
            + words(r"to (?:the |this |our )?(?:address|server|endpoint|url|webhook|number|channel|inbox|attacker)|elsewhere|out")
            + r"|(?:以下|这个|下面的?|外部|该)(?:地址|服务器|接口|链接|网址|邮箱))"
            rf"|(?:把|将|请|连同){_GAP}{_SENSITIVE}{_GAP}{_SEND}|{_SENSITIVE}{_GAP}{_SEND}{_GAP}{_ADDRESS})",
        ),
        rule(  # a picture that tells an address what was said, when it is shown
            EXFILTRATION, 0.55, "](http",
            r"!\[[^\]\n]{0,100}\]\(https?://[^)\s]{1,200}[?&/=][^)\s]{0,100}?(?:\$?\{|\$\(|<[a-z]|%7b|\[\w)|"
            r"\]\(https?://[^)\s]{1,200}[?&][^)\s]{0,100}?=(?:\$?\{|<|%7b)",
        ),
        rule(
            EXFILTRATION, 0.25, "![",
            r"!\[[^\]\n]{0,100}\]\(https?://[^)\s]{1,200}\?(?!(?:branch|style|label|logo|raw|v|version|size|w|h|width|"
            r"height|color|event|cacheseconds|s|t|theme)=)[\w.-]{1,30}=",
        ),
        rule(
            EXFILTRATION, 0.3, "![ ](http image link pixel url 图片 链接 网址 像素 & replac containing encoded filled with 换成 替换 编码 包含 拼接",
            _NOT + r"(?:" + words(r"append|add|include|attach|put|render|embed|insert")
            + rf"|附上|加上|渲染|嵌入|插入|放进|附加){_GAP}(?:!\[|\]\(https?://|" + words(r"image|link|pixel|url")
            + r"|图片|链接|网址|像素)" + r"[^\n]{0,200}?(?:" + words(r"replaced|replacing|containing|encoded|filled|with the")
            + r"|换成|替换|编码|包含|拼接)",
        ),
        rule(
            EXFILTRATION, 0.35, "base64 encode 编码",
            _SENSITIVE + r"[^\n。]{0,60}?(?:base64|url-?encoded?|hex(?:adecimal)?(?![a-z])|编码)[^\n。]{0,60}?(?:" + words("links?|urls?|image|query")
            + r"|链接|网址|图片|参数)",
        ),
        rule(EXFILTRATION, 0.25, "?", r"https?://[^\s\"'<>)]{4,150}[?&]\w{1,12}=(?=$|[\s\"')。，,]|\$?\{|<)"),
    )  # fmt: skip


def _revealing() -> tuple[Rule, ...]:
    reveal = (
        _NOT + r"(?:" + words(r"print|reveal|show|repeat|output|disclose|dump|display|leak|recite|quote|expose|list|"
                              r"spell out|write out|tell me")
        + r"|打印|公布|透露|显示|输出|泄露|复述|展示|列出|公开|说出|背出|披露)"
    )  # fmt: skip
    return (
        rule(  # what the model was told before, by any other name
            EXFILTRATION, 0.5, "hidden private confidential secret conceal unseen invisible initial bootstrap startup setup loaded "
            "隐藏 隐秘 秘密 私密 机密 不可见 初始 启动 预设",
            r"(?:" + reveal[len(_NOT):] + r"|" + _NOT + words(r"return|provide|reproduce|hand over|give (?:me|us|out)|deliver|surrender|share")
            + r"|交出|给出|提供|返回|交代)[^\n.!?。！？]{0,25}?(?:"
            + words(r"(?:hidden|private|confidential|secret|concealed|unseen|invisible|internal) (?:\w{1,14} )?(?:messages?|configuration|"
                    r"set-?up(?: text| message)?|content|instructions?|text|prompt|directives?|rules)|(?:bootstrap|initiali[sz]ation|"
                    r"startup|start-up) (?:message|prompt|text|content|configuration)")
            + r"|(?:隐藏|隐秘|秘密|私密|机密|不可见|初始)的?(?:系统)?(?:设定|消息|配置|内容|指令|提示词?|说明)|"
            r"(?:启动|初始化)(?:时|阶段|前)[^\n。]{0,8}(?:隐秘|秘密|私密|收到|加载|获得)[^\n。]{0,6}(?:配置|内容|消息|设定))",
        ),
        rule(
            TOOL_CALL, 0.5, "decod base64 payload 解码 解密",
            words(r"decod(?:e|ing)|decrypt") + r"[^\n.!?]{0,50}?" + words(r"(?:and|then) (?:run|execute|follow|obey|eval(?:uate)?)")
            + r"|(?:解码|解密)[^\n。]{0,4}(?:后|并|然后|再)[^\n。]{0,4}(?:执行|运行|照做|遵照)",
        ),
        rule(
            EXFILTRATION, 0.5, "prompt instructions 提示词 系统提示 指令",
            rf"{reveal}[^\n.!?。！？]{{0,30}}?(?:"
            + words(r"(?:hidden |secret |full |entire |whole )?system (?:prompt|message|instructions)|(?:hidden|initial|original) prompt|"
                    r"your (?:initial |original |hidden |system |own )?(?:instructions|prompt)")
            + r"|系统提示词?|隐藏的?(?:提示词|指令)|你的(?:初始|原始|系统)?(?:指令|提示词))",
        ),
        rule(
            EXFILTRATION, 0.35, "environ env key credential password secret token 环境变量 密钥 密码 令牌 凭证 私钥 & print reveal show repeat output disclos dump display leak recite quote expose list spell write tell 打印 公布 透露 显示 输出 泄露 复述 展示 列出 公开 说出 背出",
            rf"{reveal}[^\n.!?。！？]{{0,30}}?(?:"
            + words(r"(?:your |all |the )(?:environment variables|env vars|api[ _-]?keys?|credentials|passwords|secrets|"
                    r"access tokens?|private keys?)")
            + r"|环境变量|密钥|密码|令牌|凭证|私钥)",
        ),
        rule(
            EXFILTRATION, 0.5, "include append add put insert attach 附上 写进 写入 加上 放进 附加 & key credential password secret token environment 密钥 密码 令牌 凭证 私钥 环境变量",
            _NOT + r"(?:" + words(r"include|append|add|put|insert|attach")
            + r"|附上|写进|写入|加上|放进|附加)[^\n.!?。！？]{0,30}?(?:"
            + words(r"(?:the |your |user's |his |her |any |every )?(?:api[ _-]?keys?|credentials|passwords?|secrets?|access tokens?|"
                    r"private keys?|environment variables)")
            + r"|密钥|密码|令牌|凭证|私钥|环境变量)[^\n.!?。！？]{0,40}?(?:"
            + words(r"(?:in|to|into|at) (?:(?:the|your|every|each|all|any) )*(?:answers?|repl(?:y|ies)|responses?|messages?|links?|urls?|"
                    r"commits?(?: messages?)?|bottom|end)")
            + r"|回答|回复|链接|网址|提交说明|末尾)"
            + r"|(?:回答|回复|答复|链接|提交说明|报告|末尾)[^\n。！？]{0,12}?(?:附上|写进|写入|加上|放进|附加|带上|打印)[^\n。！？]{0,15}?"
            r"(?:密钥|密码|令牌|凭证|私钥|环境变量)",
        ),
        rule(
            EXFILTRATION, 0.3, ".env",
            _NOT + r"(?:" + words("read|cat|open|fetch|load|grab|collect|upload|post|paste|copy")
            + r"|读取|打开|查看|上传|收集|贴出|把|将)[^\n!?。！？]{0,20}?\.env(?![\w.])[^\n!?。！？]{0,40}?"
            r"(?:" + words("values?|contents?|paste|post|send|print|put|show") + r"|值|内容|贴|发|打印|写)",
        ),
        rule(
            EXFILTRATION, 0.5, "id_rsa .ssh .aws .netrc /etc/passwd credentials.json 钥匙串 keychain",
            _NOT + r"(?:" + words(r"read|cat|open|fetch|load|grab|collect|upload|post|paste|copy")
            + r"|读取|打开|查看|上传|收集|贴出|把|将)[^\n!?。！？]{0,30}?(?:id_rsa|~/\.(?:aws|ssh|netrc)|/etc/(?:passwd|"
            r"shadow)|credentials\.json|keychain|钥匙串)[^\n!?。！？]{0,40}?(?:" + words("and|to|then|into|so|before")
            + r"|并|然后|到|写|发|贴)",
        ),
    )  # fmt: skip
