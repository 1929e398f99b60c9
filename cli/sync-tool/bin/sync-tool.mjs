#!/usr/bin/env node
import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { setFlagsFromString } from 'node:v8';

// A young generation that grows with what passes through it would make a quarter of the memory that a very large bundle takes.
setFlagsFromString('--semi-space-growth-factor=1');

// Where Node can keep compiled code (22.8 and newer), the second start is faster.
if ('enableCompileCache' in nodeModule) nodeModule.enableCompileCache();

const bundle = new URL('../dist/sync-tool.js', import.meta.url);
if (existsSync(bundle)) {
  await import('./older-node.mjs');
  await import(bundle.href);
} else {
  process.stderr.write('sync-tool is incomplete: install it again, or call `npm run bundle` in a checkout.\n');
  process.exitCode = 1;
}
