import { CommanderError } from 'commander';
import { runProgram, type ExitCode, type Shell } from '@ranger-relay/terminal';
import { summaryPath } from './global-options.ts';
import { syncProgram } from './program.ts';

const noCommand = 'no command was given';

/** A call that was wrong has no command that could say how it ended. */
const writeWrongCall = async (shell: Shell, path: string, message: string): Promise<void> => {
  const { writeSummary } = await import('../summary/write.ts');
  await writeSummary(shell, path, { command: null, dryRun: false, code: 2, reason: 'usage', facts: { message } });
};

/** Runs a call of the tool to its end; nothing is thrown. */
export const runTool = async (shell: Shell, args: readonly string[]): Promise<ExitCode> => {
  const program = await syncProgram(shell, args);
  let wrong = args.length === 0 ? noCommand : undefined;
  const code = await runProgram(shell, program, args, (error) => {
    if (error instanceof CommanderError && error.exitCode !== 0)
      wrong = error.code === 'commander.help' ? noCommand : error.message;
  });
  const path = summaryPath(shell, program);
  if (wrong !== undefined && path !== undefined) await writeWrongCall(shell, path, wrong);
  return code;
};
