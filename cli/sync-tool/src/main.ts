import { processShell, runProgram } from '@ranger-relay/terminal';
import { syncProgram } from './program/program.ts';

const shell = processShell(process);
const code = await runProgram(shell, syncProgram(shell), process.argv.slice(2));
if (code !== 0) process.exitCode = code;
