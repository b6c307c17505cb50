"""Notes about identifiers that are easily taken for one another, and questions that name one.

Each family is a handful of near misses of one kind. Their notes say nearly the same in nearly the
same words: only the identifier tells which of them was asked for.
"""

from __future__ import annotations

from typing import NamedTuple


class Note(NamedTuple):
    path: str
    text: str
    identifier: str
    family: int
    kind: str


class Question(NamedTuple):
    text: str
    identifier: str


_FAMILIES: dict[str, str] = {
    "error": """
        ERR_CONN_1042 ERR_CONN_1043 ERR_CONN_1024
        E0308 E0380 E0038
        ORA-00942 ORA-00924 ORA-00492
        TS2345 TS2354 TS2322
        0x80070005 0x80070057 0x8007000E
        AUTH-401-EXPIRED AUTH-401-REVOKED AUTH-403-EXPIRED
        SQLSTATE[23505] SQLSTATE[23503] SQLSTATE[23502]
        ECONNREFUSED ECONNRESET ECONNABORTED
        E_LOCK_TIMEOUT E_LOCK_TIMEDOUT E_LOCK_TIMEOUTS
        PAY_5001 PAY_5010 PAY_50011
        1045 1054 10451
    """,
    "flag": """
        --max-old-space-size --max-new-space-size --max-semi-space-size
        --no-cache --no-cache-dir --no-cached
        --dry-run --dry-runs --dry
        --force-with-lease --force-if-includes --force
        -Xmx4g -Xms4g -Xmx40g
        --log-level=debug --log-level=trace --log-levels
        --skip-verify --skip-verify-tls --skip-verified
        --workers --worker --worker-class
    """,
    "setting": """
        max_connections max_connection_age max_connections_per_ip
        server.port server.ports server.host
        spring.datasource.url spring.datasource.urls spring.data.url
        innodb_buffer_pool_size innodb_buffer_pool_instances innodb_log_buffer_size
        worker_processes worker_process worker_connections
        http.proxyHost http.proxyPort https.proxyHost
        retry.max_attempts retry.max_attempt retry.min_attempts
        vm.max_map_count vm.max_map_counts vm.overcommit_memory
        maxRetries maxRetry minRetries
        keepalive_timeout keepalive_timeouts keepalive_requests
    """,
    "api": """
        getUserName getUserNames setUserName
        createOrder createOrders createOrderItem
        pandas.DataFrame.merge pandas.DataFrame.merge_asof pandas.DataFrame.join
        std::vector::emplace_back std::vector::emplace std::vector::push_back
        /api/v1/users /api/v2/users /api/v1/user
        IUserService.FindById IUserService.FindByIds IUserService.FindByName
        os.path.join os.path.joins os.path.split
        useEffect useEffects useLayoutEffect
        fetchAll fetchAllPages fetchOne
    """,
    "version": """
        v2.3.1 v2.3.10 v2.3.11
        1.10.0 1.1.0 1.10.1
        python3.11 python3.12 python3.1
        3.0.0-rc1 3.0.0-rc2 3.0.0-beta1
        openssl-1.1.1k openssl-1.1.1 openssl-1.1.1w
        node@18.19.0 node@18.19.1 node@18.1.9
        2024.05.01 2024.05.10 2024.5.1-hotfix
    """,
    "path": """
        /etc/app/a.conf /etc/app/b.conf /etc/app/a.conf.bak
        src/auth/login.ts src/auth/login.test.ts src/auth/logout.ts
        ~/.ssh/config ~/.ssh/config.d ~/.ssh/known_hosts
        C:\\Windows\\System32\\hosts C:\\Windows\\System32\\host C:\\Windows\\System\\hosts
        docs/部署.md docs/部署2.md docs/回滚.md
        /var/log/nginx/error.log /var/log/nginx/errors.log /var/log/nginx/access.log
        Dockerfile.prod Dockerfile.dev Dockerfile.prod2
        /srv/releases/2026/services/payments/gateway/config/production/eu-west/limits.yaml \
/srv/releases/2026/services/payments/gateway/config/production/eu-west/limit.yaml \
/srv/releases/2026/services/payments/gateway/config/production/eu-east/limits.yaml
        migrations/0042_add_index.sql migrations/0043_add_index.sql migrations/0042_add_indexes.sql
    """,
    "environment": """
        DATABASE_URL DATABASE_URLS DATABASE_URI
        $JAVA_HOME $JAVA_HOME_17 $JRE_HOME
        AWS_ACCESS_KEY_ID AWS_ACCESS_KEY_IDS AWS_SECRET_ACCESS_KEY
        HTTP_PROXY HTTPS_PROXY NO_PROXY
        PYTHONPATH PYTHONHOME PYTHONPATHS
        REDIS_DB_0 REDIS_DB_1 REDIS_DB_10
    """,
    "table": """
        t_order_2024 t_order_2025 t_order_item_2024
        user_profile user_profiles users_profile
        dwd_trade_detail_di dwd_trade_detail_df dws_trade_detail_di
        billing.invoices billing.invoice billing.invoices_old
        ods_log_v1 ods_log_v2 ods_logs_v1
    """,
    "commit": """
        9f8e7d6 9f8e7d5 9f8e7c6
        a1b2c3d4 a1b2c3d5 b1a2c3d4
        4e5f60718293 4e5f60718294 4e5f60718392
        e83c5163316f89bfbde7d9ab23ca2e25604af290 e83c5163316f89bfbde7d9ab23ca2e25604af291 e83c516
    """,
    "ticket": """
        PROJ-1042 PROJ-1043 PROJ-10422
        #3928 #3982 #39281
        CVE-2025-67644 CVE-2025-67464 CVE-2025-8709
        BUG-77 BUG-777 BUG-7
    """,
}
# What a note of each kind says, in English, Chinese and both at once.
_NOTES: dict[str, tuple[str, str, str]] = {
    "error": (
        "When {} appears the pool has run dry. Restart the workers and raise the limit.",
        "出现 {} 说明连接池已经耗尽，重启 worker 并调大上限即可解决。",
        "{} 的排查：先看 connection pool，再 restart worker。",
    ),
    "flag": (
        "The build on the small machine only passes with {}; without it the step runs out of room.",
        "小机器上构建必须加上 {} 这个参数，否则这一步会失败。",
        "CI 里要带 {}，否则 build step 会失败。",
    ),
    "setting": (
        "Set {} before the rollout; the default is too low for our traffic.",
        "上线前要修改 {} 的值，默认值对我们的流量来说太小。",
        "配置项 {} 的 default 太小，rollout 之前要改。",
    ),
    "api": (
        "{} returns stale data after a write; call it again once the cache is cleared.",
        "写入之后调用 {} 会返回旧数据，清掉缓存再调一次。",
        "调用 {} 会拿到 stale data，需要先清 cache。",
    ),
    "version": (
        "Do not upgrade to {}: the driver hangs at start. Stay on the release before it.",
        "不要升级到 {}，驱动启动时会卡死，先停在上一个版本。",
        "{} 有启动卡死的 bug，先不要 upgrade。",
    ),
    "path": (
        "The file {} is made by the installer; edit the template and never the file itself.",
        "文件 {} 是安装程序生成的，只改模板，不要直接改它。",
        "{} 由 installer 生成，要改就改 template。",
    ),
    "environment": (
        "{} must be set on the build host, or the tests talk to the wrong service.",
        "构建机上必须设置 {}，否则测试会连到错误的服务。",
        "build host 上要 export {}，不然测试连错服务。",
    ),
    "table": (
        "The rows of {} are kept for ninety days and then moved to cold storage.",
        "{} 表里的数据只保留九十天，之后转到冷存储。",
        "{} 这张表 retention 是九十天，之后进 cold storage。",
    ),
    "commit": (
        "{} broke the nightly build and was reverted the next morning.",
        "{} 这个提交弄坏了夜间构建，第二天早上回滚了。",
        "{} 把 nightly build 弄坏了，已经 revert。",
    ),
    "ticket": (
        "{} was closed as a duplicate; the fix is in the shared library.",
        "{} 已作为重复问题关闭，修复在公共库里。",
        "{} 是 duplicate，fix 在公共库里。",
    ),
}
_QUESTIONS: dict[str, tuple[str, ...]] = {
    "error": (
        "I keep getting {} since this morning, what should I do?",
        "日志里一直报 {}，怎么解决？",
    ),
    "flag": (
        "why do we pass {} to the build on the small machine",
        "构建的时候为什么要加{}这个参数",
    ),
    "setting": ("what should I know about {} before we roll out?", "上线前{}要怎么改？"),
    "api": ("the result of {} looks old, any idea why?", "为什么调用{}拿到的是旧数据"),
    "version": ("can we upgrade to {} this week?", "这周能升级到 {} 吗"),
    "path": ("may I edit {} by hand", "可以直接改 {} 吗？"),
    "environment": ("which host needs {} and what happens without it?", "没有设置{}会怎么样"),
    "table": ("how long do we keep the rows of {}", "{}表的数据保留多久？"),
    "commit": ("what was wrong with {} again?", "{} 这个提交当时出了什么问题"),
    "ticket": ("what became of {}, was it ever fixed?", "{} 后来怎么处理的？"),
}
# Notes about other things that share the words of the questions.
_OTHERS = (
    "The build is slow on Mondays because everybody merges on Friday.",
    "日志保留九十天，之后转到冷存储。",
    "Restart the workers after every rollout.",
    "上线前要在群里通知大家，并确认默认值。",
    "Never edit generated files by hand; edit the template.",
    "夜间构建失败时先看磁盘空间。",
    "Upgrades are done on Tuesdays, one host after the other.",
    "缓存清掉以后再调用接口，否则会拿到旧数据。",
)


def corpus() -> tuple[list[Note], list[Question]]:
    notes: list[Note] = []
    questions: list[Question] = []
    family = 0
    for kind, lines in _FAMILIES.items():
        for line in lines.strip().splitlines():
            for at, identifier in enumerate(line.split()):
                # all of a family in one language where it is even, each in its own where it is odd
                text = _NOTES[kind][(family // 2 if family % 2 == 0 else at) % 3]
                path = f"notes/{kind}-{family}-{at}.md"
                notes.append(Note(path, text.format(identifier), identifier, family, kind))
                questions += [Question(q.format(identifier), identifier) for q in _QUESTIONS[kind]]
            family += 1
    notes += [
        Note(f"notes/other-{at}.md", text, "", -1, "other") for at, text in enumerate(_OTHERS)
    ]
    return notes, questions
