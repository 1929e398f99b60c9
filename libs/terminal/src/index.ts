export { endingOf, type Ending, type ExitCode } from './failure.ts';
export { humanAgo, humanCount, humanSpan, plural } from './human.ts';
export { addressOption, durationOption, momentOption, percentOption, rateOption, wholeOption } from './options.ts';
export { createPaint, wantsColour, type Paint } from './paint.ts';
export { printable, printableJson, printableText } from './printable.ts';
export { processShell, type HostProcess } from './process-shell.ts';
export { createProgram, runProgram, type About } from './program.ts';
export type { Shell } from './shell.ts';
export { alignColumns, type Align } from './table.ts';
