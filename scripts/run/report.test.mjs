import test from 'ava';
import { closingLine, reporter } from './report.mjs';

const record = (isTTY = false) => {
  let text = '';
  return { out: { isTTY, write: (more) => (text += more) }, text: () => text };
};
const point = (kind, title, more = {}) => ({ kind, title, logs: [], details: [], ...more });

test('the closing line names skipped tests only when there are some', (t) => {
  t.is(closingLine({ passed: 3, failed: 0, skipped: 0 }), '3 passed, 0 failed');
  t.is(closingLine({ passed: 3, failed: 1, skipped: 2 }), '3 passed, 1 failed, 2 skipped');
});

test('a failure is printed with its title, its logs and its reason', (t) => {
  const { out, text } = record();
  reporter(out).point(point('failed', 'a › b', { logs: ['seen 1'], details: ['message: no', '  deep: 1'] }));
  t.is(text(), '\n✘ a › b\n    | seen 1\n    message: no\n      deep: 1\n\n');
});

test('passed tests are quiet but for what they log', (t) => {
  const { out, text } = record();
  const report = reporter(out);
  report.point(point('passed', 'a'));
  report.point(point('passed', 'suite', { logs: ['25 cases ran'] }));
  t.is(text(), '  suite: 25 cases ran\n');
});

test('without a terminal every hundredth test leaves a line of progress', (t) => {
  const { out, text } = record();
  const report = reporter(out);
  for (let i = 0; i < 250; i += 1) report.point(point('passed', 'a'));
  t.is(text(), '… 100 tests done\n… 200 tests done\n');
});

test('on a terminal the line of progress is wiped before anything else is printed', (t) => {
  const { out, text } = record(true);
  const report = reporter(out);
  report.point(point('passed', 'a'));
  report.close('1 passed, 0 failed');
  t.true(text().endsWith('\r\u001B[2K1 passed, 0 failed\n'));
  t.true(text().includes('… 1 tests done'));
});
