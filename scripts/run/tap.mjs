/**
 * One test as the runner told it.
 * @typedef {object} Point
 * @property {'passed' | 'failed' | 'skipped'} kind
 * @property {string} title
 * @property {string[]} logs what the test printed
 * @property {string[]} details lines about the failure
 */

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

const pointLine = /^(ok|not ok)\b(?: +\d+)?(?: +- +| +|$)(.*)$/;
const directive = / ?# (SKIP|TODO)\b.*$/i;

/** @param {string} line @returns {Point | undefined} */
const parsePoint = (line) => {
  const match = pointLine.exec(line);
  if (!match) return undefined;
  const [, verdict, rest = ''] = match;
  const title = rest.replace(directive, '');
  const kind = directive.test(rest) ? 'skipped' : verdict === 'ok' ? 'passed' : 'failed';
  return { kind, title, logs: [], details: [] };
};

/**
 * Reads a TAP stream in pieces of any size. The package tap-parser would parse the lines of a failure and lose those that are no YAML.
 * Bounded by what one test prints.
 * `push` and `end` return the tests that are complete; `counts` is right after `end`.
 */
export const tapReader = () => {
  /** @type {Counts} */
  const counts = { passed: 0, failed: 0, skipped: 0 };
  let todo = 0;
  let told = 0;
  let rest = '';
  /** @type {Point | undefined} */
  let open;

  const close = () => {
    const done = open;
    open = undefined;
    return done ? [done] : [];
  };

  /** @param {string} line @returns {Point[]} */
  const take = (line) => {
    const point = parsePoint(line);
    if (point) {
      const before = close();
      counts[point.kind] += 1;
      if (point.kind === 'skipped' && line.startsWith('not ok')) todo += 1;
      open = point;
      return before;
    }
    if (line.startsWith('Bail out!')) {
      const before = close();
      counts.failed += 1;
      open = { kind: 'failed', title: line, logs: [], details: [] };
      return before;
    }
    const summary = /^# fail (\d+)$/.exec(line);
    if (summary) told = Number(summary[1]);
    else if (line.startsWith('#   ')) open?.logs.push(line.slice(4));
    else if (line.startsWith('  ') && !/^ {2}(---|\.\.\.)$/.test(line)) open?.details.push(line.slice(4));
    return [];
  };

  return {
    /** @param {string} text */
    push(text) {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      return lines.flatMap((line) => take(line.replace(/\r$/, '')));
    },
    end() {
      const last = rest === '' ? [] : take(rest);
      rest = '';
      return [...last, ...close()];
    },
    /** Tests that were declared and never finished are only in the runner's own sum. @returns {Counts} */
    counts: () => ({ ...counts, failed: Math.max(counts.failed, told - todo) }),
  };
};
