"""What English phrases mean."""

from __future__ import annotations

from tests.text.time_phrase_rows import rows

ENGLISH = rows("""
today | 2026-05-14 | 2026-05-15
yesterday | 2026-05-13 | 2026-05-14
the day before yesterday | 2026-05-12 | 2026-05-13
tomorrow | 2026-05-15 | 2026-05-16
the day after tomorrow | 2026-05-16 | 2026-05-17
this morning | 2026-05-14T05 | 2026-05-14T12
yesterday afternoon | 2026-05-13T12 | 2026-05-13T18
last night | 2026-05-13T18 | 2026-05-14T06
tonight | 2026-05-14T18 | 2026-05-15T06
tomorrow evening | 2026-05-15T17 | 2026-05-16
this week | 2026-05-11 | 2026-05-18
last week | 2026-05-04 | 2026-05-11
next week | 2026-05-18 | 2026-05-25
the week before last | 2026-04-27 | 2026-05-04
this month | 2026-05-01 | 2026-06-01
last month | 2026-04-01 | 2026-05-01
next month | 2026-06-01 | 2026-07-01
this quarter | 2026-04-01 | 2026-07-01
last quarter | 2026-01-01 | 2026-04-01
next quarter | 2026-07-01 | 2026-10-01
this year | 2026-01-01 | 2027-01-01
last year | 2025-01-01 | 2026-01-01
next year | 2027-01-01 | 2028-01-01
the year before last | 2024-01-01 | 2025-01-01
last Tuesday | 2026-05-12 | 2026-05-13
last Thursday | 2026-05-07 | 2026-05-08
on Friday | 2026-05-08 | 2026-05-09
Friday | 2026-05-08 | 2026-05-09
this Friday | 2026-05-15 | 2026-05-16
next Friday | 2026-05-15 | 2026-05-16
next Thursday | 2026-05-21 | 2026-05-22
this past Monday | 2026-05-11 | 2026-05-12
Tuesday of last week | 2026-05-05 | 2026-05-06
last week's Tuesday | 2026-05-05 | 2026-05-06
Friday morning | 2026-05-08T05 | 2026-05-08T12
last Friday night | 2026-05-08T18 | 2026-05-09T06
on tue | 2026-05-12 | 2026-05-13
last weekend | 2026-05-09 | 2026-05-11
this weekend | 2026-05-16 | 2026-05-18
over the weekend | 2026-05-09 | 2026-05-11
past 3 days | 2026-05-11 | 2026-05-15
the last two weeks | 2026-04-30 | 2026-05-15
in the last few days | 2026-05-07 | 2026-05-15
in the past month | 2026-04-14 | 2026-05-15
past 24 hours | 2026-05-13T10 | 2026-05-14T11
the last 6 months | 2025-11-14 | 2026-05-15
the past 2 years | 2024-05-14 | 2026-05-15
recently | 2026-05-07 | 2026-05-15
lately | 2026-05-07 | 2026-05-15
3 days ago | 2026-05-11 | 2026-05-12
two weeks ago | 2026-04-27 | 2026-05-04
a couple of weeks ago | 2026-04-27 | 2026-05-04
five months ago | 2025-12-01 | 2026-01-01
a year ago | 2025-01-01 | 2026-01-01
over a month ago | 2026-03-14 | 2026-04-14
about ten days ago | 2026-05-02 | 2026-05-07
a few days ago | 2026-05-07 | 2026-05-14
several years ago | 2021-01-01 | 2026-01-01
a week or two ago | 2026-04-27 | 2026-05-11
half a year ago | 2025-11-01 | 2025-12-01
the other day | 2026-05-07 | 2026-05-14
an hour ago | 2026-05-14T09 | 2026-05-14T10
in March | 2026-03-01 | 2026-04-01
March 2024 | 2024-03-01 | 2024-04-01
in May | 2026-05-01 | 2026-06-01
last March | 2026-03-01 | 2026-04-01
this March | 2026-03-01 | 2026-04-01
next March | 2027-03-01 | 2027-04-01
in June | 2025-06-01 | 2025-07-01
December | 2025-12-01 | 2026-01-01
early March | 2026-03-01 | 2026-03-11
end of last month | 2026-04-21 | 2026-05-01
late 2024 | 2024-10-01 | 2025-01-01
Q3 2025 | 2025-07-01 | 2025-10-01
Q3 | 2025-07-01 | 2025-10-01
2025 Q4 | 2025-10-01 | 2026-01-01
the third quarter of 2025 | 2025-07-01 | 2025-10-01
first half of 2025 | 2025-01-01 | 2025-07-01
the second half of last year | 2025-07-01 | 2026-01-01
last summer | 2025-06-01 | 2025-09-01
summer 2024 | 2024-06-01 | 2024-09-01
2026-05-06 | 2026-05-06 | 2026-05-07
2026/5/6 | 2026-05-06 | 2026-05-07
6 May 2026 | 2026-05-06 | 2026-05-07
May 6th, 2026 | 2026-05-06 | 2026-05-07
May 6, 2026 | 2026-05-06 | 2026-05-07
May 6 | 2026-05-06 | 2026-05-07
may 6th | 2026-05-06 | 2026-05-07
05/06/2026 | 2026-05-06 | 2026-05-07
25/12/2025 | 2025-12-25 | 2025-12-26
the 6th of May | 2026-05-06 | 2026-05-07
on the 3rd | 2026-05-03 | 2026-05-04
the 15th of last month | 2026-04-15 | 2026-04-16
May 20 | 2025-05-20 | 2025-05-21
Feb 29 | 2024-02-29 | 2024-03-01
2026-05-06T10:00:00Z | 2026-05-06 | 2026-05-07
2026-04 | 2026-04-01 | 2026-05-01
between May 3 and May 6 | 2026-05-03 | 2026-05-07
from Monday to Wednesday | 2026-05-11 | 2026-05-14
from March to May 2024 | 2024-03-01 | 2024-06-01
May 3-6 | 2026-05-03 | 2026-05-07
May 3 to 6 | 2026-05-03 | 2026-05-07
3-6 May 2026 | 2026-05-03 | 2026-05-07
between 2023 and 2024 | 2023-01-01 | 2025-01-01
from last Monday to yesterday | 2026-05-11 | 2026-05-14
since March | 2026-03-01 | 2026-05-15
since last Friday | 2026-05-08 | 2026-05-15
before 2024 | 0002-01-01 | 2024-01-01
after May | 2026-06-01 | 9999-01-01
until yesterday | 0002-01-01 | 2026-05-14
by Friday | 0002-01-01 | 2026-05-09
in 2024 | 2024-01-01 | 2025-01-01
since 2020 | 2020-01-01 | 2026-05-15
Christmas | 2025-12-25 | 2025-12-26
last Christmas | 2025-12-25 | 2025-12-26
Christmas 2024 | 2024-12-25 | 2024-12-26
New Year's Eve | 2025-12-31 | 2026-01-01
New Year’s Day | 2026-01-01 | 2026-01-02
Thanksgiving 2025 | 2025-11-27 | 2025-11-28
Halloween | 2025-10-31 | 2025-11-01
Valentine's Day | 2026-02-14 | 2026-02-15
Chinese New Year | 2026-02-17 | 2026-02-24
next 3 days | 2026-05-14 | 2026-05-18
two weeks from now | 2026-05-25 | 2026-06-01
the morning of May 3 | 2026-05-03T05 | 2026-05-03T12
from March onwards | 2026-03-01 | 2026-05-15
the past three days | 2026-05-11 | 2026-05-15
Dec 2025 | 2025-12-01 | 2026-01-01
Jan 5 | 2026-01-05 | 2026-01-06
since the end of March | 2026-03-21 | 2026-05-15
the week of May 6 | 2026-05-04 | 2026-05-11
on may 6 | 2026-05-06 | 2026-05-07
the last week of March | 2026-03-25 | 2026-04-01
the first week of May | 2026-05-01 | 2026-05-08
the first day of last month | 2026-04-01 | 2026-04-02
the last week of December 2025 | 2025-12-25 | 2026-01-01
100 years ago | 1926-01-01 | 1927-01-01
9000 days from now | 2051-01-03 | 2051-01-04
1st of May 2025 | 2025-05-01 | 2025-05-02
Sept 3rd | 2025-09-03 | 2025-09-04
May 3 in the evening | 2026-05-03T17 | 2026-05-04
over the past three months | 2026-02-14 | 2026-05-15
during Christmas week | 2025-12-25 | 2025-12-28
3 weeks back | 2026-04-20 | 2026-04-27
""")
