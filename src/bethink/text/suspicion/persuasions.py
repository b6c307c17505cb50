# ruff: noqa: E501  (a table of patterns: a line broken in the middle of one is harder to read)
"""Rules for text that wants to be kept for ever, said every time, and believed unchecked.

Each alone can be a user's wish ("in every answer, show prices in euros"); two of them together are
held.
"""

from __future__ import annotations

from functools import cache

from bethink.text.suspicion.findings import PERSUASION, Rule, rule, words


@cache
def rules() -> tuple[Rule, ...]:
    return (
        rule(
            PERSUASION, 0.35, "recommend suggest promote endorse advertise praise steer 推荐 首推 主推 优先选 宣传 引导 吹捧",
            words(r"always|first|whenever|every time|in every|every (?:answer|conversation|reply)|(?:for|in|to) "
                  r"(?:all|any|every) future|from (?:now|here) on|in (?:all|any) (?:answers?|conversations?)|"
                  r"must|each time")
            + r"[^\n.!?。！？]{0,60}?" + words(r"recommend(?:ed)?|suggest(?:ed)?|promoted?|endorsed?|advertised?|"
                                               r"praised?|steer")
            + r"|" + words(r"recommend|suggest|promote|endorse|advertise|praise")
            + r"[^\n.!?。！？]{0,60}?" + words(r"first in every|in (?:every|all|each) \w{0,8} ?(?:answers?|"
                                               r"conversations?|repl(?:y|ies)|responses?)|(?:to|for) (?:all|every) users?|"
                                               r"above all others|every time|whenever|no matter what")
            + r"|(?:以后|今后|往后|凡是|每次|每当|只要|一律|无论|始终|务必|必须)[^\n。！？]{0,25}?(?:推荐|首推|主推|优先选|宣传|"
            r"引导|吹捧)",
        ),
        rule(
            PERSUASION, 0.3, "user 用户",
            words(r"(?:the|this) user (?:fully|completely|absolutely|always|unconditionally|totally|already|"
                  r"has already|has|explicitly)*\s?(?:trusts?|agreed|authori[sz]ed|consented|approved|"
                  r"pre-?approved|waived|insists?(?: on)?|gave (?:full )?permission|granted|whitelisted)")
            + r"|用户(?:已经?|早已|早就|一直|完全|绝对|无条件|明确|本人|十分|非常)+(?:信任|同意|授权|批准|许可|确认过|允许)"
            r"|(?:这是|此为|系)用户(?:本人)?(?:坚持|要求|授权|同意|的意思|的决定)",
        ),
        rule(
            PERSUASION, 0.4, "user 用户",
            words(r"(?:say|claim|state|pretend|tell \w{1,8}|mention) that (?:the user|he|she|they) "
                  r"(?:chose|wanted|asked|approved|agreed|decided|said)")
            + r"|(?:说|称|写|声称)(?:是|成|明|这是)?用户(?:自己|本人)?(?:选|要求|同意|决定|批准|说)",
        ),
        rule(
            PERSUASION, 0.35, "memor store save keep record persist permanent forever 记忆 永久 永远 牢记 铭记",
            words(r"(?:store|save|keep|record|write|put|commit|add|persist|memori[sz]e|log) (?:(?:this|that|it|"
                  r"the following) )?(?:permanently|forever|for good|for ever|(?:in|into|to|as) (?:(?:your|the) )?"
                  r"(?:long-term|permanent|core|persistent) memor(?:y|ies)|(?:in|into|to) your memor(?:y|ies))|updat(?:e|ing) your (?:long-term )?"
                  r"memor(?:y|ies)|(?:important|essential|crucial|vital) to memori[sz]e|remember(?:ed)? "
                  r"(?:this |it )?(?:forever|permanently|for ever|always)")
            + r"|永(?:久|远)(?:地)?(?:保存|记住|牢记|记得|保留|存储)|(?:存入|写入|写进|保存到|加入|存进|录入)(?:你的)?"
            r"(?:长期|永久|核心)?记忆|更新你的(?:长期)?记忆|务必(?:牢记|铭记)",
        ),
        rule(
            PERSUASION, 0.3, "future later subsequent coming following other every each 以后 今后 后续 将来 往后 接下来 每个 每次 所有 每一 & "
            "answer repl respon session conversation question chat request task 会话 对话 回答 回复 答复 任务 请求 聊天",
            words(r"(?:in|for|to|across|during) (?:all|any|every|each) (?:future|later|subsequent|coming|following|"
                  r"other) (?:answers?|repl(?:y|ies)|responses?|sessions?|conversations?|questions?|chats?|requests?|"
                  r"tasks?)|in every (?:answer|response|reply)|(?:to|at the end of) every (?:answer|response|reply)|"
                  r"after (?:each|every) (?:answer|reply|response)")
            + r"|(?:以后|今后|后续|将来|往后|接下来)的?(?:所有|每次|每个|一切|任何|每一次)(?:会话|对话|回答|回复|任务|请求|聊天)"
            r"|(?:每个|每次|所有|每一[个次条])(?:回答|回复|答复)(?:的)?(?:里|中|末尾|后面?|结尾|都|最后)"
            r"|(?:所有|每次)(?:会话|对话)(?:里|中|都)",
        ),
        rule(
            PERSUASION, 0.3, "trust verified true fact authoritative verify question 可信 核实 事实 真实 怀疑 验证 质疑",
            words(r"(?:treat|regard|consider|accept|take) [^\n.!?]{0,40}?as (?:verified|trusted|true|facts?|"
                  r"authoritative|gospel)|(?:without|no need (?:for|to)|never|not) (?:verif\w{1,7}|"
                  r"question\w{0,3}|doubt\w{0,3}) (?:it|this|them)|is (?:always )?verified and|"
                  r"needs? no verification")
            + r"|(?:视为|当作|当成|视作|认定为)(?:已经?)?(?:核实|验证|可信|事实|真实|权威|真的)|(?:不要|无需|不必|不得)(?:怀疑|质疑|验证)",
        ),
        rule(
            PERSUASION, 0.3, "warning alert caution criticism 警告 提醒 批评 质疑",
            words(r"warnings?|alerts?|cautions?|criticisms?") + r"[^\n.!?]{0,40}?" + words(
                r"(?:are|is) (?:false|fake|wrong|outdated)|(?:must|should|can|may) be (?:ignored|dismissed|suppressed)")
            + r"|(?:警告|提醒|批评|质疑)[^\n。！？]{0,12}(?:是假的|不实|都是错的|(?:必须|应|可以|要)(?:忽略|无视))",
        ),
        rule(
            PERSUASION, 0.25, "without ask 不用 无需 不必 无须",
            words(r"without (?:asking|consulting|checking with) (?:him|her|them|the user|again|first)|"
                  r"(?:do not|don't|never|no need to) ask (?:him|her|them|again|the user)")
            + r"|(?:不用|无需|不必|无须|不要)(?:再)?(?:问|询问|请示|征求)(?:过)?(?:他|她|用户|任何人)",
        ),
    )  # fmt: skip
