"""English sentences that are meant to last. Each rule asks for a mark of that: "remember that",
"from now on", "always" before an order, a decision, a preference, "in this repo". An order alone
("don't run the tests") is for now, and a complaint ("it always fails") is no order."""

from __future__ import annotations

_POLITE = (
    r"(?:(?:please|pls|ok|okay|also|and|but|so|hey|well|btw|by the way|no|yes|right|thanks|oh|"
    r"important|one more thing)\b[,:!]?\s+){0,4}"
)
_ASK = r"(?:(?:can|could|will|would) you (?:please )?)?"
_DO = (
    r"(?:use|write|run|add|put|keep|make|answer|reply|respond|format|name|call|commit|push|merge|"
    r"deploy|test|check|ask|tell|show|prefer|avoid|follow|include|exclude|create|leave|wrap|log|"
    r"return|import|export|sort|sign|tag|squash|rebase|document|comment|explain|give|send|read|"
    r"open|close|install|build|lint|skip|pin|set|store|save|treat|assume|let|do|be|speak|say|"
    r"mention|touch|edit|change|modify|delete|remove|rename|mock|catch|throw|raise|hard-?code|"
    r"expose|disable|enable|ship|release|review|verify|validate|escape|saniti[sz]e|quote|cite|"
    r"link|split|prefix|indent|generate|update|upgrade|bump|force|force-push|amend|trust|wait|"
    r"begin|start|stop|end|finish|translate|convert|declare|define|handle|retry|cache|batch|spell|"
    r"capitali[sz]e|group|measure|back|copy|move|refer|annotate|type|pass|rely|double-check|look|"
    r"search|print|round|encrypt|hash|mask|redact|stick|bypass|ignore|inline|nest|reuse|share|"
    r"notify|inform|ping|announce|email|post|publish|roll|drop|truncate|cast|mix|abbreviate|mutate|override|overwrite|restart|block)"
)
_NOT = r"(?:don['’]t|do not|never|no longer)"
_HABIT = (  # of a "remember to", of an order
    r"\b(?:always|never|each|every|whenever|when you (?!are|finish|have)|any ?time|"
    r"before (?:you |any |commit|push|merg|deploy|releas)|"
    r"after (?:you |any |commit|push|merg|deploy|releas))"
)
_PLACE = (
    r"(?:in|for|across|throughout|inside|within|on) (?:this|our|the whole|the entire|all our|"
    r"all of our) "
    r"(?:repo(?:sitor(?:y|ies))?|project|code ?base|code|team|organi[sz]ation|company|workspace|"
    r"monorepo|package)s?\b"
)
_CONVENTION = r"(?:use|prefer|avoid|follow|stick|indent|target|support|require)"

_OCCASION = (
    r"(?:commit|push|merge|release|deploy(?:ment)?|pr|pull request|migration|upgrade|refactoring|"
    r"rollout|roll-out|hotfix|review)"
)
_MATTER = r"(?:docs|documentation|comments|commit messages|changelog|tests)"

RULES = {
    "remember": (
        rf"^{_POLITE}{_ASK}(?:do |always )?(?:remember|keep in mind|bear in mind|don['’]t forget|"
        r"do not forget|make a (?:mental )?note|take note|for the record|for future reference)"
        r"(?:(?:\s*[:,]\s*|\s+)that\b|\s*[:,]|\s+(?=(?:I|I'm|we|we're|our|my|the|there|you|not|"
        r"never|"
        r"always|only|all|every|(?-i:[A-Z0-9_])\S*|\w+ (?:is|are|has|must))\b)(?!my (?:choice|"
        r"settings?)\b))"
    ),
    "remember to": (
        rf"^{_POLITE}{_ASK}(?:remember|don['’]t forget|do not forget|make sure) to\b(?=.*{_HABIT})"
    ),
    "from now on": (
        r"(?:^|[\s,;:])(?:from now on|from here on(?: out)?|henceforth|from this point on|"
        r"from today on|(?:as of|starting) (?:now|today)(?=,))\b(?!['’])|"
        rf"^{_POLITE}(?:going|moving) forward,|\bgoing forward[.!]?$|"
        rf"^{_POLITE}in (?:the )?future,?\s+(?:please\s+)?(?:{_DO}|always|only|{_NOT})\b|"
        rf"^{_POLITE}next time,?\s+(?:please|always|make sure|{_NOT})\b"
    ),
    "always": (
        rf"^{_POLITE}{_ASK}(?:you (?:should|must|need to) |we (?:should|must) |make sure (?:to|"
        rf"you) )?"
        rf"(?:always|never(?: ever)?|under no circumstances|don['’]t ever|do not ever|"
        rf"only ever)\s+{_DO}\b"
        r"(?!\s+mind)|"
        rf"^{_POLITE}(?:{_NOT}|{_DO})\b.*[\s,](?:always|ever|ever again|each time|"
        rf"every time)[.!]?$|"
        rf"^{_POLITE}(?:please )?{_NOT} .*\b(?:anymore|any more|any longer)\b|"
        rf"^{_POLITE}(?:{_NOT} )?{_DO}\b.*\b(?:before|after) (?:each|every|any) "
        r"(?:commit|push|merge|release|deploy\w*|PR|pull request|edit|change|answer|reply|session)|"
        rf"^{_POLITE}(?:please )?stop \w+ing\b.*\b(?:every|all|so many|unless|without)\b|"
        rf"^{_POLITE}whenever you\b.*,|"
        rf"^{_POLITE}(?:before|after|for|with|on) (?:each|every|any|an?) {_OCCASION}\b[^,]{{0,30}},"
        rf"\s*(?:please |always |first |you (?:must|should) |we )?(?:{_NOT} )?{_DO}\b|"
        rf"^{_POLITE}(?:{_NOT} )?{_DO}\b.*\b(?:before|after) (?:each|every|any|an?) {_OCCASION}\b"
    ),
    "decided": (
        rf"^{_POLITE}(?:[^,:]{{1,40}}, )?(?:we|the team)(?:['’]ve| have)?(?: just| now| finally|"
        rf" all)? "
        r"(?:decided|agreed|settled|standardi[sz]ed|chose|are going|will go|went)"
        r"\s+(?:to|on|that|against|with|not to)\b|"
        rf"^{_POLITE}I(?:['’]ve| have)? decided (?:to|on|that|against) (?:use|go|keep|adopt|drop|"
        r"switch|stay|we)\b|"
        rf"^{_POLITE}(?:our|the team's|my|the project's) (?:coding |house |usual )?(?:convention|"
        rf"policy|"
        r"rule|standard|style|guideline|default)s? (?:is|are)\b|"
        rf"^{_POLITE}(?:as a (?:general )?rule|by convention|as a matter of policy),"
    ),
    "prefer": (
        rf"^{_POLITE}(?:I|we|the team|my team)(?:['’]d| would)?(?: really| generally| usually|"
        rf" much| "
        r"always)* (?:prefer|rather have|rather use)\b(?! (?:not to say|to wait|it\b|that\b|this\b|"
        r"these\b|those\b|the (?:first|second|third|last|former|latter|other|new|old)\b|(?:option|"
        r"your|yours|neither|either)\b))|"
        rf"^{_POLITE}(?:I|we)(?: really| generally| usually)* (?:like|love|hate|dislike|"
        rf"can['’]t stand)\s+"
        r"(?!(?:this|that|these|those|it|the|how|what|when|where|your|you|to (?:see|know|think)|"
        r"him|her|them|his|both|a)\b)\w"
    ),
    "about me": (
        rf"^{_POLITE}(?:(?:and )?my (?:first |full |last )?(?:name|time ?zone|role|job|job title|"
        rf"native "
        r"language|pronouns|editor|operating system|manager|github (?:handle|user)|birthday) "
        r"(?:is|are)\b|(?:please )?call me (?-i:[A-Z])|I (?:work|live) (?:in|at|for|as|from) \w)"
    ),
    "here": (
        rf"^{_POLITE}{_NOT} .*\b{_PLACE}|^{_POLITE}(?:only )?{_CONVENTION}\b(?!.*\bto (?:find|list|"
        rf"search|check|show|see|fix|count|replace|look|build|write|add|create)\b).*\b{_PLACE}|"
        rf"^{_POLITE}(?i:{_PLACE}),? (?:please )?(?:we |you )?(?:should |must |always |only |"
        rf"never )?"
        rf"(?:{_CONVENTION}|run|write|put|keep|name|format|commit|{_NOT})\b|"
        rf"^{_POLITE}we (?:always |only |never |don['’]t |do not )?{_CONVENTION}\b.*\b{_PLACE}|"
        rf"^{_POLITE}in (?:the |our |all )?{_MATTER},? (?:always |only |never )?"
        r"(?:use|prefer|avoid|follow)\b(?! (?:the|a|an|this|that|it|these|those)\b)|"
        rf"^{_POLITE}(?:this|our) (?:repo(?:sitory)?|project|code ?base|team) (?:uses|requires|"
        rf"follows|"
        r"targets|prefers|avoids)\b"
    ),
    "corrected": (
        r"^(?:no|nope|wrong|actually|correction)\b[,:.]?\s+(?:(?:that|this)(?:['’]s| is) "
        r"(?:wrong|not right|incorrect)\s*[:,]\s*)?(?:the|our|my|"
        r"(?-i:[A-Z])\w*)\s[^,]{0,80}\b(?:is|are|uses?|"
        r"runs? on|listens? on|starts?|ends?)\b[^,]{1,60},? (?:not|instead of|rather than) \S"
    ),
}  # fmt: skip

# A rule is tried, and compiled at all, only where one of its words stands: most turns teach
# nothing, and cost nothing.
HINTS = {
    "remember": ("remember", "in mind", "forget", "note", "for the record", "for future"),
    "remember to": ("remember to", "forget to", "make sure to"),
    "from now on": ("now on", "here on", "point on", "today", "henceforth", "as of", "starting",
                    "forward", "future", "next time"),
    "always": ("always", "ever", "circumstances", "anymore", "any more", "any longer", "every",
               "each", "before a", "after a", "for a", "with a", "on a", "stop "),
    "decided": ("decided", "agreed", "settled", "standardi", "chose", "going", "go ", "went",
                "rule", "convention", "policy", "standard", "style", "guideline", "default"),
    "prefer": ("prefer", "rather", "like", "love", "hate", "can't stand"),
    "about me": ("my ", "call me", "i work", "i live"),
    "here": ("this ", "our ", "the whole", "the entire", "in the ", "in all ", "in docs",
             "in tests", "in comments", "in commit"),
    "corrected": (" not ", "instead", "rather than"),
}  # fmt: skip

# Only for now, or about what goes wrong. "remember that …" and "from now on …" may say such things.
FOR_NOW = (
    r"\b(?:yet|for now|right now|just now|this time|for the moment|at the moment|until|today|"
    r"tonight|"
    r"tomorrow|yesterday|for (?:the|this) (?:test|demo|run)|"
    r"in this (?:file|function|test|line|pr|branch|commit|case|run|class|method|diff)|"
    r"lines? \d+|gonna|never ?mind)\b"
)
TROUBLE = (
    r"\b(?:broken|broke|fails?|failing|failed|crash\w*|bounced|bug|bugs|buggy|exception|traceback|"
    r"stack trace|does(?:n['’]t| not) work|not working|can['’]t (?:find|see|get)|error:|"
    r"errors? out|"
    r"fix (?:it|this|that)|please (?:fix|debug|check|look)|timed? out|any idea)\b"
)
REFUSED = (
    r"\b(?:do|did|does) (?:you|we|I|not) (?:still |even )?remember\b|\bcan['’]t remember\b|"
    r"\b(?:don['’]t|do not|no need to|never|needn['’]t) (?:remember|save|store|note|keep) (?:this|"
    r"that|it)\b|"
    r"\bremember (?:me|when|how|why|if|what|which|where|who)\b|\bdecided (?:nothing|yet)\b|"
    r"^(?:translate|rewrite|rephrase|summari[sz]e|proofread|paraphrase|correct|polish|review)\b"
)  # fmt: skip
REQUEST = (  # a question in its form only
    rf"^{_POLITE}(?:can|could|will|would) you (?:please )?(?:(?:remember|keep in mind|"
    rf"bear in mind|make a note)"
    r"(?: that\b|:)|always\b|never\b|from now on\b)"
)
# What says nothing of its own: after the mark, something else must be left.
EMPTY = (
    r"\b(?:this|that|it|these|those|like|so|way|the|same|please|do|did|what|I|you|just|said|told|"
    r"all|"
    r"always|never|remember|keep|in|mind|from|now|on|forget|don['’]t|not|to|one|thing|things|ok|"
    r"too|"
    r"going|forward|future|as|well|again|of|be|and|we|make|a|note|use|ever)\b"
)
