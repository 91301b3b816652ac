"""The style sheet of the page: calm, for any width, for light and dark, and for paper."""

STYLE = """
:root { color-scheme: light dark; --ink: #1b2a33; --soft: #4f5f69; --paper: #ffffff;
  --line: #d5dde2; --tint: #f2f6f8; --accent: #1f6f8b; --bar: #d4e8ee; --good: #17694a;
  --bad: #a3262a; --warn: #7a5200; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf1; --soft: #abbac3; --paper: #12191e;
  --line: #33424c; --tint: #1a252c; --accent: #6fc3dd; --bar: #22475a; --good: #6fd3a8;
  --bad: #ff9a94; --warn: #f0c060; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 56rem; color: var(--ink);
  background: var(--paper); font: 16px/1.55 system-ui, "Segoe UI", Roboto, sans-serif;
  overflow-wrap: break-word; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0; }
h2 { font-size: 1.25rem; margin: 2.6rem 0 .6rem; padding-top: .7rem;
  border-top: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 1.8rem 0 .4rem; }
p { margin: .5rem 0; max-width: 44rem; }
ul { margin: .5rem 0; padding-left: 1.2rem; } li { margin-bottom: .3rem; }
.soft, caption, small, dd { color: var(--soft); }
.verdict { font-size: 1.15rem; font-weight: 600; margin: 1rem 0 .5rem; padding: .6rem .9rem;
  border-left: 5px solid; background: var(--tint); max-width: none; }
.good { border-color: var(--good); color: var(--good); }
.bad { border-color: var(--bad); color: var(--bad); }
.notice { padding: .6rem .9rem; border-left: 5px solid var(--line); background: var(--tint);
  max-width: none; }
.scroll { overflow-x: auto; margin: .8rem 0 1.2rem; }
.scroll:focus-visible { outline: 2px solid var(--accent); outline-offset: 3px; }
table { border-collapse: collapse; width: 100%; line-height: 1.35; }
caption { text-align: left; padding-bottom: .4rem; }
th, td { text-align: left; vertical-align: top; padding: .45rem .6rem;
  border-bottom: 1px solid var(--line); }
th:first-child { padding-left: 0; } th:last-child, td:last-child { padding-right: .3rem; }
thead th { vertical-align: bottom; color: var(--soft); font-size: .9rem; font-weight: 600;
  border-bottom: 2px solid var(--line); }
tbody th { font-weight: 600; } tr.below th { font-weight: 400; padding-left: 1.2rem; }
.number { text-align: right; }
td.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
small { display: block; font-size: .82rem; font-weight: 400; line-height: 1.3; }
.bar { background: linear-gradient(to right, var(--bar) var(--share), transparent 0)
  0 100% / 100% .3rem no-repeat; padding-bottom: .6rem; }
svg { display: block; width: 8.5rem; max-width: 100%; height: .7rem; margin: .25rem 0 0 auto;
  overflow: visible; }
.scale { stroke: var(--line); stroke-width: 1; } .span { stroke: var(--accent); stroke-width: 3;
  opacity: .6; } .point { fill: var(--accent); }
dl { margin: .6rem 0 0; display: grid; grid-template-columns: max-content minmax(0, 1fr);
  gap: .3rem 1rem; font-size: .93rem; line-height: 1.4; }
dt { font-weight: 600; } dd { margin: 0; }
article { margin: 1rem 0; padding: .7rem .9rem .9rem; border-left: 5px solid var(--warn);
  background: var(--tint); break-inside: avoid; }
article.error { border-color: var(--bad); } article h3 { margin: 0 0 .4rem; }
article dl { margin: 0; grid-template-columns: 4.5rem minmax(0, 1fr); font-size: 1rem; }
article dd { color: var(--ink); } article ul { margin: 0; padding-left: 1.1rem; }
article dt { color: var(--soft); } article.error dd.mend { font-weight: 600; }
.code { font: .82rem ui-monospace, Consolas, monospace; color: var(--soft); font-weight: 400;
  white-space: nowrap; }
@media (max-width: 34rem) {
  body { padding: 1rem .8rem 2rem; font-size: 15px; }
  table { font-size: 13px; } thead th { font-size: 12px; } th, td { padding: .4rem .25rem; }
  tbody th { min-width: 6rem; overflow-wrap: anywhere; hyphens: auto; }
  td.number small { white-space: normal; font-size: 12px; } svg { width: 5.5rem; }
  dl, article dl { grid-template-columns: minmax(0, 1fr); gap: 0; } dd { margin-bottom: .5rem; }
}
@media print {
  :root { --ink: #000000; --soft: #333333; --paper: #ffffff; --tint: #ffffff; --line: #999999;
    --accent: #000000; --bar: #bbbbbb; --good: #000000; --bad: #000000; --warn: #000000; }
  body { max-width: none; padding: 0; font-size: 10.5pt; } h2, h3 { break-after: avoid; }
  tr, dl > *, .scroll { break-inside: avoid; } .scroll { overflow: visible; }
  .bar { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""
