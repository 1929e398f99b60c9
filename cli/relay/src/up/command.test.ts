import { createProgram, runProgram } from '@ranger-relay/terminal';
import { testAbout } from '@ranger-relay/terminal/testing';
import test from 'ava';
import { upCommand } from './command.ts';
import { complete, hostOf, shellOf } from './test/start.ts';

const valid = 'The configuration is valid. Nothing was started.';

for (const [what, args, works, asks, end] of [
  ['calls nothing', ['--check'], true, 0, 0],
  ['with --connect asks the counterparts', ['--check', '--connect'], true, 1, 0],
  ['with --connect ends with 1 when a counterpart does not work', ['--check', '--connect'], false, 1, 1],
] as const)
  test(`a check ${what}`, async (t) => {
    const shell = shellOf((await complete(t)).env);
    let asked = 0;
    const counterparts = async (): Promise<boolean> => {
      asked += 1;
      return works;
    };
    const program = createProgram(shell, testAbout, [upCommand({ shell, process: hostOf(), counterparts })]);
    t.is(await runProgram(shell, program, ['up', ...args]), 0);
    t.is(shell.exitCode(), end);
    t.is(asked, asks);
    t.is(shell.lines.includes(valid), works);
  });
