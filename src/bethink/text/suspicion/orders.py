# ruff: noqa: E501  (a table of patterns: a line broken in the middle of one is harder to read)
"""Rules for text that gives the agent orders.

A user's wish ("always use UTC", 以后一律用中文) is a memory like any other. What differs is text that
speaks to the reading model as such, lifts rules, claims authority, or hides from the user.
"""

from __future__ import annotations

from functools import cache

from bethink.text.suspicion.findings import INSTRUCTION, Rule, rule, words

_GAP = r"[^\n.!?。！？]{0,30}?"
_NOT = r"(?<!not )(?<!n't )(?<!never )(?<!n’t )(?<!不要)(?<!不能)(?<!不得)(?<!不可)(?<!别)"
AI = (
    r"(?:" + words(
        r"a\.?i\.?s?|llms?|(?:large )?language models?|chat ?bots?|assistants?|agents?|models?|"
        r"chatgpt|gpt(?:-?\d)?|claude|copilot|gemini|ai (?:assistants?|agents?|models?|summari[sz]ers?)"
    )
    + r"|人工智能|智能体|智能助手|大?语言模型|大模型|模型|机器人|助手|助理)"
)  # fmt: skip

AI_CUE = "<ai>"  # stands for `AI` among cues: its short names are in too many other words

_LIFT = (
    _NOT
    + r"(?:"
    + words(
        r"ignore|ignoring|disregard(?:ing)?|forget|override|bypass|discard|abandon|set aside|"
        r"pay no attention to|(?:do not|don't|stop|no longer|never) (?:follow|obey|heed)(?:ing)?|"
        r"neglect|throw away|erase|wipe"
    )
    + r"|忽略|无视|忽视|忽略掉|(?:不要|别|不用|不必|无需)(?:再)?(?:理会|遵守|遵循|遵从|听从|沿用|管|顾)|"
    r"(?:不再|停止)(?:遵守|遵循|遵从|听从|执行)|忘记|忘掉|抛开|抛弃|丢弃|舍弃|绕过|绕开|推翻|废除|清空|清除)"
)
_EARLIER = (
    r"(?:" + words(
        r"previous|prior|preceding|above|earlier|former|foregoing|existing|original|initial|past|"
        r"your|system(?:'s)?|safety|developers?(?:'s?)?|before|built-in|hidden|governing|supervisors?(?:'s)?|"
        r"operators?(?:'s)?|administrators?(?:'s)?|control|upper"
    )
    + r"|以上|之前|先前|前面|上面|上述|此前|原有|原来的?|原先|你的|给你的?|系统|既有|开发者|已有|早先|内置|上层|上级|管理方|运营方|管理员|原定)"
)  # fmt: skip
_ORDERS = (
    r"(?:" + words(
        r"instructions?|directives?|rules?|guidelines?|guidance|prompts?|orders|polic(?:y|ies)|"
        r"constraints?|restrictions?|safeguards?|guardrails?|programming|training|commands?|directions|"
        r"(?:developer|system|operator) messages?"
    )
    + r"|指令|指示|规则|规定|规范|提示词?|命令|设定|限制|约束|准则|政策|守则|训练|控制要求)"
)  # fmt: skip
_ANY = (
    r"(?:"
    + words(r"all|any|every|each|whatever|everything|anything")
    + r"|所有|一切|全部|任何|全都)"
)


@cache
def rules() -> tuple[Rule, ...]:
    return (*_lifting(), *_roles(), *_addressing(), *_concealing())


def _lifting() -> tuple[Rule, ...]:
    """What you were told before shall not hold."""
    orders = (
        "instruction directive rule guideline guidance prompt order polic constraint restriction "
        "safeguard guardrail programming training command 指令 指示 规则 规定 提示 命令 设定 限制 约束 准则 "
        "政策 守则 训练 规范 控制要求 direction message"
    )
    lifts = (
        "ignor disregard forget overrid bypass discard abandon aside attention follow obey heed neglect "
        "throw erase wipe 沿用 忽略 无视 忽视 理会 遵 听从 不要管 别管 不用管 顾 执行 忘 抛 丢弃 舍弃 绕 推翻 废除 清"
    )
    return (
        rule(INSTRUCTION, 0.75, f"{orders} & {lifts}", f"{_LIFT}{_GAP}{_EARLIER}{_GAP}{_ORDERS}"),
        rule(
            INSTRUCTION, 0.6, f"instruction directive prompt guideline 指令 提示词 命令 & {lifts}",
            f"{_LIFT}{_GAP}{_ANY}{_GAP}(?:{words('instructions?|directives?|prompts?|guidelines?')}"
            "|指令|提示词|命令)",
        ),
        rule(
            INSTRUCTION, 0.6, "forget ignore disregard 忘 抛开 清空 作废 & above told developer creator maker operator before 以上 上面 之前 前面 先前",
            _NOT + words("forget|ignore|disregard") + r" " + words("everything|anything|all|whatever")
            + _GAP + words("above|you (?:were|have been|are) told|your? (?:developers?|creators?|"
                           "makers?|operators?)|said before this|before this (?:line|point)")
            + r"|(?:把|将)?(?:以上|上面|之前|前面|先前)[^\n。！？]{0,12}(?:内容|对话|话|一切|东西)?"
            r"(?:统统|全部|全都|都)?(?:忘掉|忘记|忘了吧|抛开|清空|作废)",
        ),
        rule(
            INSTRUCTION, 0.55, f"{orders} & appl longer void obsolete suspended lifted cancel revoked disabled null replaced 作废 失效 不再 不适用 解除 取消 撤销 过期 expired outdated superseded",
            f"{_EARLIER}{_GAP}{_ORDERS}{_GAP}(?:"
            + words(
                r"no longer (?:appl(?:y|ies)|holds?|bind(?:ing|s)?|valid)|(?:is|are|were|has|have) (?:now )?"
                r"(?:void|obsolete|expired|outdated|superseded|suspended|lifted|cancell?ed|revoked|disabled|null)|"
                r"(?:do|does) not apply|ha(?:s|ve) been (?:lifted|revoked|cancell?ed|suspended|replaced)"
            )
            + r"|as (?:obsolete|void|expired|outdated)|作废|失效|不再有效|不再?适用|解除|取消了|已?被?撤销|过期)",
        ),
        rule(
            INSTRUCTION, 0.3, f"{orders} & supersede override precedence replace outrank 优先于 高于 凌驾 取代 覆盖",
            r"(?:" + words(r"supersedes?|overrides?|takes? precedence over|replaces?|outranks?")
            + f"|优先于|高于|凌驾于|取代|覆盖){_GAP}(?:{_EARLIER}|{_ANY}){_GAP}{_ORDERS}",
        ),
        rule(
            INSTRUCTION, 0.45, "prompt instructions 提示 指令 & supersede override precedence replace outrank 优先于 高于 凌驾 取代 覆盖",
            r"(?:" + words(r"supersedes?|overrides?|takes? precedence over|replaces?|outranks?")
            + f"|优先于|高于|凌驾于|取代|覆盖){_GAP}"
            r"(?:system prompt|your (?:system )?(?:prompt|instructions)|系统提示|系统指令|你的指令)",
        ),
        rule(
            INSTRUCTION, 0.45, "restrict limit safeguard guardrail rules polic 限制 约束 束缚 政策",
            words(r"(?:drop|lift|remove|shed|ignore|abandon|lose|bypass|disable|evade) (?:all|any|every|your|all your|its|all its|the) (?:\w{1,12} )?"
                  r"(?:restrictions?|limitations?|safeguards?|guardrails?)|no longer (?:bound|limited|restricted|constrained) by")
            + r"|(?:放弃|摆脱|解除|抛开|去除|打破)(?:你的?|所有|一切|全部|任何|自身)+(?:的)?(?:限制|约束|束缚)|"
            r"不再受[^\n。！？]{0,12}(?:约束|限制|束缚)",
        ),
        rule(
            INSTRUCTION, 0.4, f"{orders} & replace treat & governing system operator supervisor developer",
            words("replace|treat") + _GAP + words(r"governing|system|operator'?s?|supervisor'?s?|developer'?s?")
            + f"{_GAP}{_ORDERS}",
        ),
        rule(
            INSTRUCTION, 0.35, "priority precedence 优先",
            words(r"(?:give|grant|assign) (?:this|these|the following|the next) [^\n.!?]{0,20}?(?:top|highest|absolute) priority|"
                  r"(?:this|these|the following|the next) (?:text|passage|lines?|note|message|words?|instructions?) (?:ha(?:s|ve)|takes?) "
                  r"(?:the )?(?:top|highest|absolute) (?:priority|precedence)")
            + r"|(?:接下来|以下|下面|这段|本段|这条)[^\n。！？]{0,8}(?:拥有|具有|享有|是)?最高(?:的)?优先(?:级|权)?",
        ),
        rule(  # letters that stood apart, joined: the borders between words are lost
            INSTRUCTION, 0.7, "ignore disregard forget override",
            r"(?:ignore|disregard|forget|override)(?:all|any|the|your|my|every|of|these)*"
            r"(?:previous|prior|above|earlier|your)(?:system|safety)?"
            r"(?:instruction|rule|prompt|guideline|order|directive)",
        ),
        rule(
            INSTRUCTION, 0.4, "safety security content moderation guardrail 安全 内容 道德 & suspended disabled off lifted deactivated removed waived 关闭 停用 解除 绕过 取消",
            words(r"(?:safety|security|content|moderation) (?:checks?|filters?|polic(?:y|ies)|"
                  r"rules|measures|restrictions)|guardrails?")
            + _GAP + words(r"(?:is|are|have been) (?:now )?(?:suspended|disabled|off|lifted|"
                           r"deactivated|removed|waived)")
            + r"|(?:关闭|停用|解除|绕过|取消)(?:了)?(?:所有|一切|全部|你的)?(?:安全|内容|道德)"
            r"(?:检查|审查|过滤|限制|策略|机制)",
        ),
    )  # fmt: skip


def _roles() -> tuple[Rule, ...]:
    """Who is speaking, and who you are."""
    return (
        rule(
            INSTRUCTION, 0.7, "<| [inst <<sys [/inst <start_of",
            r"<\|(?:im_start|im_end|im_sep|system|user|assistant|endoftext|eot_id|begin_of_text|"
            r"start_header_id|end_header_id)\|>|\[/?inst\]|<</?sys>>|<start_of_turn>",
        ),
        rule(
            INSTRUCTION, 0.55, "<system </system <系统 [system [系统 【系统 <sys",
            r"</?(?:system|sys|系统)(?:[ _-]?(?:prompt|message|override|note|instructions?|提示|指令|消息))?"
            r"\s{0,2}>|[\[【](?:system|系统)\s?(?:prompt|message|override|note|command|提示词?|指令|消息|"
            r"通知|命令)?[\]】]",
        ),
        rule(
            INSTRUCTION, 0.4, "### human: assistant: user: system: 助手 用户 系统",
            r"(?:^|\n)\s{0,3}#{2,4}\s?(?:system|assistant|human|user|instructions?|助手|用户|系统|指令)"
            r"\s{0,2}[:：]",
        ),
        rule(  # a made-up exchange: the assistant has agreed already
            INSTRUCTION, 0.4, "assistant: assistant： 助手: 助手： ai: ai：",
            r"(?:^|\n)[\s#*>]{0,6}(?:assistant|ai|助手|智能体)\s{0,2}[:：][*]{0,2}\s{0,3}"
            r"(?:understood|ok(?:ay)?|sure|of course|acknowledged|confirmed|明白|好的|收到|了解|遵命|知道了)"
            r"[^\n]{0,40}?(?:\bi(?:'ll| will)\b|我(?:会|将|以后|今后))[^\n]{0,60}\n"
            r"[\s#*>]{0,6}(?:user|human|用户)\s{0,2}[:：]",
        ),
        rule(
            INSTRUCTION, 0.5, "override directive command instruction 指令 命令 覆盖",
            r"(?:" + words(r"(?:system|admin(?:istrator)?|root|developer|priority|emergency) "
                           r"(?:override|directive|command|instructions?)")
            + r"\s{0,2}[:：\]】-]|(?:系统|管理员|开发者|最高|最高权限|紧急)(?:最高)?(?:权限|优先级?)?"
            r"(?:指令|命令|覆盖)\s?[:：】])",
        ),
        rule(
            INSTRUCTION, 0.35, "system: system： 系统: 系统： 系统消息 系统提示 notice alert message",
            r"(?:^|\n)\s{0,3}(?:system|系统)(?: ?(?:message|notice|alert|update|note|消息|提示|通知|公告))?"
            r"\s{0,2}[:：]\s{0,3}(?:you\b|the (?:user|assistant|agent|ai)|ignore|override|from now|new|"
            r"assistant|你|用户|该用户|忽略|从现在|即刻|助手)",
        ),
        rule(
            INSTRUCTION, 0.6, f"you 你 & {AI_CUE} now longer 现在 不再 从今 今后 将",
            r"(?:" + words(r"you (?:are|'re) (?:now(?! (?:logged|signed|connected))|no longer)|you're (?:now|no longer)|from now on,? you (?:are|will "
                           r"be|act as)")
            + f"{_GAP}(?:{AI}|"
            + words(r"operator|admin(?:istrator)?|root|dan|unrestricted|unfiltered|jailbroken|"
                    r"bound|restricted|limited|evil|hacker|persona")
            + r")|你(?:现在(?:起|开始)?(?:就)?(?:是|扮演|变成)|不再是|将(?:扮演|成为)|从现在(?:起|开始)(?:就)?是)"
            rf"[^\n。！？]{{0,15}}?(?:{AI}|ai|操作员|管理员|黑客|不受|没有(?:任何)?限制|无限制|角色)"
            r"|(?:从现在(?:起|开始)|从今(?:以后|往后|天起)|今后)[,，]?你(?:就|将)?(?:是|扮演|不再是)"
            rf"[^\n。！？]{{0,15}}?(?:{AI}|ai|操作员|管理员|黑客|不受|没有(?:任何)?限制|无限制|角色))",
        ),
        rule(
            INSTRUCTION, 0.55, "your 你 & new real true actual only updated 新 真 唯一",
            words(r"your (?:new|real|true|actual|only|updated) (?:identity|persona|instructions?|"
                  r"directives?|objective|system prompt|mission|task|goal|orders)") + r"\s{0,2}(?:is|are|[:：])"
            r"|你的?(?:新|真正的|唯一的|真实)(?:身份|人设|指令|任务|目标|使命|命令)\s?(?:是|为|[:：])",
        ),
        rule(INSTRUCTION, 0.3, "your 你的", r"your new role is|你的?新(?:角色|职责)(?:是|为|[:：])"),
        rule(
            INSTRUCTION, 0.5, "act pretend behave respond answer imagine 假装 装作 扮演 假设 当作 & restrict polic rules limit guideline filter 政策 限制 约束 规则 审查 过滤",
            r"(?:" + words(r"act|pretend|behave|respond|answer|imagine")
            + f"|假装|装作|扮演|假设|当作){_GAP}(?:"
            + words(r"you (?:ha(?:d|ve)|are under|were under) no (?:content |safety |more )?(?:polic(?:y|ies)|"
                    r"restrictions?|rules|limits?|guidelines|filters?)|without (?:any )?(?:restrictions?|"
                    r"filters?|guidelines|limits)|unrestricted|no restrictions")
            + r"|你?(?:没有|不受|无)(?:任何|一切)?(?:内容|安全|道德)?(?:政策|限制|约束|规则|审查|过滤))",
        ),
        rule(
            INSTRUCTION, 0.45, "mode 模式 anything",
            words(r"(?:developer|dan|god|debug|maintenance|jailbreak|unrestricted|admin) mode")
            + _GAP + words(r"enabled|activated|active|on|engaged|unlocked")
            + r"|do anything now|(?:进入|开启|启用|激活|已进入|已开启)了?[^\n。]{0,3}(?:开发者|越狱|dan|上帝|维护|调试|"
            r"管理员|无限制)\s?模式",
        ),
        rule(
            INSTRUCTION, 0.4, "unrestricted restriction refus warn comply obey grant fulfil approve filter 不受 请求 要求 命令 拒绝",
            words(r"without (?:any )?(?:restrictions?|refus\w{2,4}|filters?)|do(?:es)? not (?:warn|refuse)|"
                  r"never refuse|(?:obey|comply with|grant|fulfil+|approve) (?:all|every|any) "
                  r"(?:requests?|orders?|commands?|demands?)|unrestricted (?:operator|mode|ai|assistant)")
            + r"|不受(?:任何)?限制的(?:操作员|助手|ai|模型|智能体)|(?:所有|任何|一切|全部)(?:的)?(?:请求|要求|命令)"
            r"(?:都|均|一律)(?:要|须|必须|应)?(?:照办|服从|执行|满足|答应|批准|回答[“\"]?(?:可以|好|是|同意))|(?:满足|答应|服从)[^\n。]{0,6}"
            r"(?:所有|任何|一切)(?:的)?(?:请求|要求|命令)|不(?:得|要|能|许|会)拒绝(?:任何|用户|我|接下来|后面|下面)",
        ),
    )  # fmt: skip


def _addressing() -> tuple[Rule, ...]:
    """Speaking to the model that reads, which a memory does not do."""
    ai = AI_CUE
    return (
        rule(
            INSTRUCTION, 0.5, f"{ai} & note message instruction notice reminder hint memo directive "
            "addressed advice 给 致 告 提醒 通知",
            words(r"(?:note|message|instructions?|notice|reminder|hint|memo|"
                  r"directive|addressed|advice)(?: message| note| notice)?,? (?:to|for)")
            + r" (?:the |any |all |whichever |every |whatever |your |our )?" + AI
            + r"|(?:给|致|告|写给|提醒|通知)(?:各位|所有|任何|每个|正在阅读的|读到这里的)?" + AI
            + r"们?(?:的)?(?:重要|特别|紧急|隐藏|秘密|新|最新|专属)?的?(?:提示|指令|消息|说明|留言|通知|附注|备注|注意|话|[:：])",
        ),
        rule(
            INSTRUCTION, 0.5, f"{ai} & dear attention listen 请注意 听好 牢记 务必 立即 立刻 亲爱的 各位 敬告 尊敬 这里 这条 此处 本文 这段",
            r"(?:" + words(r"dear|attention:?|listen,?")
            + r"[ ,]{0,2}|亲爱的|各位|敬告|尊敬的)(?:reader, )?" + AI + r"(?! (?:number|x|s|y|3)\b)\s?[,:，：!！]"
            r"|" + AI + r"\s?(?:们)?请(?:特别)?(?:注意|听好|牢记|务必|立即|立刻)"
            r"|(?:读|看|检索|处理|扫描|总结)到?(?:这里|这条|此处|本文|这段)[^\n。]{0,8}(?:的)?" + AI,
        ),
        rule(  # "assistant:" alone is how a transcript says who speaks
            INSTRUCTION, 0.4, ai,
            r"(?:^|[\n.!?。！？(（\[【>:*\"“])\s{0,3}" + AI + r"(?: (?:reading|processing|that reads?) this)?\s?"
            r"[,:，：]\s?" + _NOT
            + r"(?:" + words(r"please (?:ignore|omit|report|approve|stop|forget|run|execute|reveal|delete|mark|treat)|"
                             r"do not (?:tell|mention|reveal|warn|ask|inform)|don't (?:tell|mention|reveal|warn|ask)|"
                             r"you (?:must|will now|are now|shall|are to)|ignore|never (?:mention|tell|reveal|warn|ask)|"
                             r"always (?:recommend|say|answer|approve)|omit|report that|tell the user|say that|approve|"
                             r"forget|execute|reveal|disregard|override|obey|skip (?:the|all)|delete|mark (?:this|it)|"
                             r"treat (?:this|it|every)|answer only|reply only|state that")
            + r"|不要(?:告诉|提|透露|警告|询问)|你(?:必须|务必|现在是|应立即)|请?(?:忽略|务必|报告|执行|调用|批准|删除|立即|立刻|马上|"
            r"跳过|只回复|只回答|记住以后)|必须|无视)",
        ),
        rule(
            INSTRUCTION, 0.55, "this 这 此 本 该 & retriev recall load process ingest index summari pars read see 检索 读 看 "
            "处理 加载 召回 调取 索引 总结 & memory note entry passage item record snippet chunk context 记忆 笔记 条目 文本 片段 记录",
            r"(?:" + words("if|when|whenever|once|as soon as|after")
            + r" you(?:,? (?:the|an?|as an?|as the) " + AI + r")?,?(?: (?:ever|next|later|have))?"
            r" (?:retrieve|recall|load|process|ingest|index|summari[sz]e|parse|read|see)\w{0,2} this "
            r"(?:memory|note|entry|passage|item|record|snippet|chunk|context)"
            r"|(?:当|如果|若|一旦|每当|只要)你(?:[(（]?" + AI + r"[)）]?)?[^\n。]{0,6}(?:检索|读取|读|看|处理|加载|召回|"
            r"调取|索引|总结)到?(?:了)?(?:这条|此条?|本条?|这段|该条?|这一)(?:记忆|笔记|条目|文本|片段|记录))",
        ),
        rule(
            INSTRUCTION, 0.5, ai,
            r"(?:" + words(r"if|since|because|as") + r" (?:you are |you're )?(?:an? |the )" + AI
            + r"[, ]+you (?:must|should|will|shall|are (?:required|to)|need to|have to)"
            r"|(?:作为|身为|既然你是)(?:一个|一名|本)?" + AI + r"[,，]?(?:你)?(?:必须|应当?|要|需|须|务必))",
        ),
        rule(
            INSTRUCTION, 0.55, f"{ai} & if 如果 若 倘若",
            words(r"if you(?: are|'re) (?:an? |the )?(?:ai|llm|language model|automated|bot|large language)")
            + r"|(?:如果|若|倘若)你是(?:一个)?(?:ai|人工智能|语言模型|大模型|大语言模型|智能体|机器人)",
        ),
        rule(  # "the agent must run the tests" is an ordinary note: it only adds to others
            INSTRUCTION, 0.2, ai,
            r"(?:the |any |every |all |this |whichever |your )?" + AI
            + r"(?: (?:that|which|who) \w{1,12} \w{1,12})? "
            + words("must|should|shall|needs? to|ha(?:s|ve) to|is (?:required|instructed|ordered|to be)")
            + r"|" + AI + r"\s?(?:都|就)?(?:必须|应立即|应立刻|务必|应当?|须|要立即|要立刻)",
        ),
    )  # fmt: skip


def _concealing() -> tuple[Rule, ...]:
    """The user shall not know, or not be asked."""
    return (
        rule(
            INSTRUCTION, 0.45, "user human operator owner 用户 使用者 主人 人类",
            words(r"(?:do not|don't|never|without|must not|avoid|no need to|not to) "
                  r"(?:ever )?(?:tell|telling|inform|informing|notify|notifying|alert|alerting|warn|warning|"
                  r"mention|mentioning|reveal|revealing|disclos(?:e|ing)|show|showing|ask|asking)"
                  r"(?: (?:this|it|that|anything|any of this))?(?: to)?")
            + r" (?:the |your |any )?(?:user|human|operator|owner)s?(?![a-z_])"
            r"|(?:不要|别|不得|切勿|禁止|无需|不必|不能|不许|不准|绝不|永远不要)(?:再)?(?:告诉|告知|通知|提醒|让|向|透露给?|"
            r"泄露给?|提示|询问|惊动)(?:任何)?(?:用户|使用者|主人|人类)"
            r"|(?:对|向)用户(?:保密|隐瞒|隐藏)|瞒着用户|(?:keep|hide) (?:this|it|these instructions) "
            r"(?:secret |hidden |confidential )?from (?:the |your )?(?:user|human|owner)",
        ),
        rule(
            INSTRUCTION, 0.55, "note remark instruction message memory text 备注 笔记 指令 消息 记忆 提示 说明 规则",
            words(r"(?:do not|don't|never|must not) (?:ever )?(?:mention|reveal|disclose|quote|cite|show|"
                  r"talk about|repeat|refer to) (?:this|these|the above) "
                  r"(?:remark|note|instructions?|message|memory|text|rules?|entry|prompt)s?")
            + r"|(?:不要|别|切勿|不得|永远不要|绝不)(?:再)?(?:提到|提及|透露|引用|泄露|说出|暴露)(?:这条|这些|此|本|上述|该)条?"
            r"(?:备注|笔记|指令|消息|记忆|提示|说明|规则|内容)",
        ),
        rule(
            INSTRUCTION, 0.25, "anyone anybody without 任何人 别人 他人 擅自",
            words(r"(?:do not|don't|never|without) (?:tell|telling|inform|informing|notify|notifying|"
                  r"alerting|asking) (?:anyone|anybody)|without (?:asking|telling|consulting) (?:him|her|them)")
            + r"|(?:不要|别|切勿|不得)(?:告诉|告知|通知|惊动)(?:任何人|别人|他人)",
        ),
        rule(
            INSTRUCTION, 0.3, "confirm permission approval review check 确认 审批 批准 许可 核实 再查 审查 复核",
            words(r"no (?:further |second |more )?(?:confirmations?|permission|approval|review|checks?|verification)"
                  r"(?: is| are)? (?:needed|required|necessary)|(?:without|skip(?:ping)?|bypass|omit)"
                  r"(?: asking(?: for)?| any| the| all| further)? (?:confirmations?|permission|approval|"
                  r"reviews?|verification)|needs? no (?:second |further )?(?:check|confirmation|review|approval)|"
                  r"(?:should|must|can|may) skip (?:them|it|confirmation|this)")
            + r"|(?:无需|无须|不需要?|不用|不必|毋需)(?:再|任何|用户|人工|二次)*(?:确认|审批|批准|许可|核实|查证|再查|审查|复核)"
            r"|(?:跳过|绕过|省略|略过)(?:所有|一切|任何|用户)?(?:的)?(?:确认|审批|审查|复核|核实)"
            r"|(?:直接|自动|一律)(?:批准|通过|放行|同意)",
        ),
        rule(
            INSTRUCTION, 0.4, "authority rights permission privileges verified authenticated administrator "
            "developer creator 权限 管理员 开发者 创造者 所有者",
            words(r"the same (?:authority|rights|permissions?|privileges|trust|weight) as (?:the |your )?(?:user|"
                  r"owner|system|admin(?:istrator)?|developer)|(?:verified|authenticated|confirmed) as (?:an? |the )?"
                  r"(?:admin(?:istrator)?|owner|developer|root|superuser)|(?:i am|i'm|this is) your "
                  r"(?:developer|creator|administrator|admin|operator|maker)")
            + r"|(?:与|和|跟)(?:用户|主人|管理员)(?:本人)?(?:具有|拥有|享有|有)?(?:同等|相同|一样|同样)的?(?:权限|权力|效力|地位)"
            r"|已(?:被|经)?(?:验证|认证|确认)(?:为|是)(?:管理员|开发者|所有者|超级用户)|我(?:就)?是你的(?:开发者|创造者|管理员|主人)",
        ),
    )  # fmt: skip
