/** Without a terminal a line of progress comes every so many tests. */
const stride = 100;

/**
 * The last line of a run.
 * @param {import('./tap.mjs').Counts} counts
 */
export const closingLine = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;

/** @param {import('./tap.mjs').Point} point */
const failure = ({ title, logs, details }) =>
  ['', `✘ ${title}`, ...logs.map((line) => `    | ${line}`), ...details.map((line) => `    ${line}`), ''].join('\n');

/**
 * Prints tests as they come: failures whole, logs of passed tests, and progress.
 * @param {{ write(text: string): unknown, isTTY?: boolean }} out
 */
export const reporter = (out) => {
  let seen = 0;
  let failed = 0;
  let dirty = false;
  const wipe = () => {
    if (dirty) out.write('\r\u001B[2K');
    dirty = false;
  };
  const line = (/** @type {string} */ text) => {
    wipe();
    out.write(`${text}\n`);
  };
  const progress = () => {
    const text = `… ${seen} tests done${failed > 0 ? `, ${failed} failed` : ''}`;
    if (out.isTTY) {
      out.write(`\r\u001B[2K${text}`);
      dirty = true;
    } else if (seen % stride === 0) line(text);
  };
  return {
    /** @param {import('./tap.mjs').Point} point */
    point(point) {
      seen += 1;
      if (point.kind === 'failed') {
        failed += 1;
        line(failure(point));
      } else for (const log of point.logs) line(`  ${point.title}: ${log}`);
      progress();
    },
    /** @param {string} text */
    note: (text) => line(text),
    /** @param {string} text the closing line, after which nothing is printed */
    close: (text) => line(text),
  };
};
