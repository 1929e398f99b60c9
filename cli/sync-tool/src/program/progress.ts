import { humanSpan, printable, type Shell } from '@ranger-relay/terminal';
import type { RunListener } from '../run/execute.ts';
import { failureText } from './failures.ts';
import { stepNames } from '../run/tally.ts';

const width = 24;

const bar = (done: number, total: number): string => {
  const full = total === 0 ? width : Math.round((done / total) * width);
  return `${'█'.repeat(full)}${'░'.repeat(width - full)}`;
};

/** Shows the progress of a run: one bar per step on a terminal, otherwise one line per step; each failure has its own line. */
export const showProgress = (shell: Shell): RunListener => {
  const { clock } = shell;
  let [name, done, total, since] = ['', 0, 0, 0];
  const draw = (): void => {
    const left = done === 0 ? '' : `, ${humanSpan(((clock.monotonic() - since) / done / 1000) * (total - done))} left`;
    shell.progress(`${name.padEnd(14)} ${bar(done, total)} ${done}/${total}${left}`);
  };
  return {
    onStep(step, count) {
      [name, done, total, since] = [stepNames[step], 0, count, clock.monotonic()];
      if (shell.interactive) draw();
      else shell.err(`${name}: ${count} to write`);
    },
    onDone() {
      done += 1;
      draw();
    },
    onFailed(step, error) {
      done += 1;
      shell.err(printable(failureText(step, error)));
    },
  };
};
