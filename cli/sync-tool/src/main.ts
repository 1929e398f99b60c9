import { processShell } from '@ranger-relay/terminal';
import { runTool } from './program/program.ts';
import { thisMachine } from './run/machine.ts';

const code = await runTool({ ...processShell(process), machine: thisMachine() }, process.argv.slice(2));
if (code !== 0) process.exitCode = code;
