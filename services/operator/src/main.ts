import { runOperator } from './run.ts';

process.exit(await runOperator(process));
