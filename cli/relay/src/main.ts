import { createProgram, processShell, runProgram } from '@ranger-relay/terminal';
import { commands } from './program/commands.ts';
import { about, version } from './program/version.ts';

const shell = processShell(process);
const args = process.argv.slice(2);
const program = createProgram(shell, { ...about, version }, await commands(shell, process, args));
const code = await runProgram(shell, program, args);
if (code !== 0) process.exitCode = code;
// Open handles must not delay the exit; pending output has this long to drain.
setTimeout(() => process.exit(), 3_000).unref();
