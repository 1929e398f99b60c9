import { keepYoungGeneration } from './young-generation.ts';

keepYoungGeneration();
// Loaded after it, because what is loaded fills the young generation.
const { processShell } = await import('@ranger-relay/terminal');
const { runTool } = await import('./program/program.ts');
const { thisMachine } = await import('./run/machine.ts');
const code = await runTool({ ...processShell(process), machine: thisMachine() }, process.argv.slice(2));
if (code !== 0) process.exitCode = code;
