import { processShell } from '@ranger-relay/terminal';
import { runTool } from './program/program.ts';

const code = await runTool(processShell(process), process.argv.slice(2));
if (code !== 0) process.exitCode = code;
