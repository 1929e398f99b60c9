import { processShell, runProgram } from '@ranger-relay/terminal';
import { syncProgram } from './program/program.ts';

const shell = processShell(process);
const args = process.argv.slice(2);
const code = await runProgram(shell, await syncProgram(shell, args), args);
if (code !== 0) process.exitCode = code;
