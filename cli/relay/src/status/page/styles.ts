/** Styles of the status page: light and dark, from a phone's width up. */
export const styles = `
:root {
  color-scheme: light dark;
  --paper: #f5f4ef; --card: #fffefb; --ink: #1d2722; --soft: #5d6a62; --line: #dedbd0;
  --green: #2c7a54; --green-wash: #e4f1e9; --amber: #96650b; --amber-wash: #faf0d7; --red: #b3261e; --red-wash: #fbe6e3;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #121714; --card: #1a211d; --ink: #e4e9e5; --soft: #94a29a; --line: #2d3731;
    --green: #6fcf9b; --green-wash: #1b3327; --amber: #e6b555; --amber-wash: #352a12; --red: #ff8a80; --red-wash: #431a17;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
}
main, header { max-width: 1180px; margin: 0 auto; padding: 0 20px; }
header { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 16px; padding-top: 28px; padding-bottom: 8px; }
h1 { font-size: 20px; font-weight: 650; letter-spacing: -.01em; margin: 0; }
h2 { font-size: 13px; font-weight: 600; color: var(--soft); margin: 0 0 10px; }
section { margin: 22px 0; }
.columns > section { margin: 0; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 18px; }
.pill { display: flex; align-items: baseline; gap: 10px; margin: 8px 0; padding: 10px 14px; border-radius: 10px; font-weight: 600; }
.pill .dot { position: relative; top: -1px; }
.good > .pill { background: var(--green-wash); }
.warn > .pill { background: var(--amber-wash); }
.bad > .pill { background: var(--red-wash); }
#verdict ul { list-style: none; margin: 0; padding: 0 14px; font-size: 14px; }
#lost { margin: 8px 0; padding: 10px 14px; border-radius: 10px; background: var(--ink); color: var(--paper); font-weight: 600; }
.lost main > :not(#lost) { opacity: .45; }
.lost .dot { background: var(--soft); }
.lost #verdict .pill { background: var(--line); color: var(--soft); }
#sos { border-color: var(--red); }
#sos ul { list-style: none; margin: 0; padding: 0; }
#sos li { padding: 8px 12px; border-radius: 8px; margin-top: 8px; border: 1px solid var(--line); overflow-wrap: anywhere; }
#sos li.open { background: var(--red-wash); border-color: var(--red); }
#sos li.open strong { color: var(--red); }
#sos p { margin: 0; }
#sos .more { color: var(--soft); font-size: 13px; }
code { font-family: var(--mono); font-size: 12px; overflow-wrap: anywhere; user-select: all; }
small { display: block; font-family: var(--mono); font-size: 11px; color: var(--soft); overflow-wrap: anywhere; }
.dot { width: 8px; height: 8px; border-radius: 50%; background: currentColor; flex: none; }
.good { color: var(--green); } .bad { color: var(--red); } .warn { color: var(--amber); }

.flow { display: flex; align-items: stretch; }
.box { flex: 1 1 0; min-width: 0; border: 1px solid var(--line); border-radius: 10px; padding: 12px; background: var(--paper); }
.box strong { display: flex; align-items: center; gap: 8px; font-weight: 600; font-size: 14px; }
.box p { margin: 4px 0 0; color: var(--soft); font-size: 13px; overflow-wrap: anywhere; }
.arrow { flex: 0 0 108px; display: flex; flex-direction: column; justify-content: center; text-align: center; padding: 0 6px; }
.arrow b { font-size: 17px; font-weight: 600; font-variant-numeric: tabular-nums; line-height: 1.2; }
.arrow span { font-size: 12px; color: var(--soft); line-height: 1.3; }
.arrow i { display: block; height: 9px; margin: 5px 0; position: relative; }
.arrow i::before { content: ""; position: absolute; left: 0; right: 3px; top: 4px; border-top: 1.5px solid var(--soft); }
.arrow i::after {
  content: ""; position: absolute; right: 2px; top: 1px; width: 6px; height: 6px;
  border-top: 1.5px solid var(--soft); border-right: 1.5px solid var(--soft); transform: rotate(45deg);
}
.side { display: flex; flex-wrap: wrap; gap: 8px; margin-top: 14px; font-size: 13px; color: var(--soft); }
.side > span { border: 1px dashed var(--line); border-radius: 8px; padding: 5px 10px; }
.side .warn { border: 1px solid currentColor; background: var(--amber-wash); }
.side .bad { border: 1px solid currentColor; background: var(--red-wash); }

table { width: 100%; border-collapse: collapse; font-size: 14px; font-variant-numeric: tabular-nums; }
th { text-align: right; font-weight: 500; font-size: 13px; color: var(--soft); padding: 0 0 6px 16px; }
td { text-align: right; padding: 7px 0 7px 16px; border-top: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
td { overflow-wrap: anywhere; vertical-align: top; }
td.warn, td.bad { font-weight: 600; }

.columns { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 22px; align-items: start; }
.columns.one { grid-template-columns: minmax(0, 1fr); }
ol { list-style: none; margin: 0 -12px; padding: 0 12px; max-height: 520px; overflow-y: auto; }
ol li { display: grid; grid-template-columns: 66px minmax(0, 1fr); gap: 0 12px; padding: 7px 0; border-top: 1px solid var(--line); }
ol li:first-child { border-top: 0; padding-top: 0; }
li time { color: var(--soft); font-size: 13px; font-variant-numeric: tabular-nums; }
li p { margin: 0; overflow-wrap: anywhere; }
li .more, #flow .more { color: var(--soft); font-size: 13px; }
li.sos { background: var(--red-wash); border: 1px solid var(--red); border-radius: 8px; padding: 7px 10px; margin: 0 -11px; }
li.sos + li { border-top: 0; }
li.sos + li.sos { margin-top: 6px; border-top: 1px solid var(--red); }
li.sos p:first-child { color: var(--red); font-weight: 700; }
li.message p:first-child { font-weight: 600; }
li.failed p:first-child { color: var(--red); }
li.warned p:first-child { color: var(--amber); }
.empty { color: var(--soft); margin: 0; }
ol li.empty { display: block; }
[hidden] { display: none !important; }
footer { max-width: 1180px; margin: 0 auto; padding: 18px 20px 40px; color: var(--soft); font-size: 13px; }
footer a { color: inherit; margin-right: 14px; }

@media (max-width: 900px) {
  .columns { grid-template-columns: minmax(0, 1fr); }
  .flow { flex-direction: column; }
  .arrow { flex-basis: auto; flex-direction: row; align-items: center; justify-content: flex-start; gap: 8px; padding: 7px 14px; text-align: left; }
  .arrow i { order: -1; width: 9px; height: 26px; margin: 0 6px 0 0; flex: none; }
  .arrow i::before { left: 4px; right: auto; top: 0; bottom: 3px; border-top: 0; border-left: 1.5px solid var(--soft); }
  .arrow i::after { right: auto; left: 1px; top: auto; bottom: 2px; transform: rotate(135deg); }
}
@media (max-width: 640px) {
  main, header, footer { padding-left: 14px; padding-right: 14px; }
  .card { padding: 14px; }
  thead { display: none; }
  table, tbody { display: block; }
  tr { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 2px 16px; padding: 10px 0; border-top: 1px solid var(--line); }
  tbody tr:first-child { border-top: 0; padding-top: 0; }
  td { border: 0; padding: 0; display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 8px; font-size: 13px; min-width: 0; }
  td:first-child, td.wide { grid-column: 1 / -1; text-align: left; }
  td:first-child { justify-content: flex-start; }
  td:not(:first-child)::before { content: attr(data-label); color: var(--soft); font-weight: 400; }
}
`;
