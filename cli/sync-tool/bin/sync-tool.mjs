#!/usr/bin/env node
import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { keepYoungGeneration } from './young-generation.mjs';

keepYoungGeneration();

// Where Node can keep compiled code (22.8 and newer), the second start is faster. The folder is the user's: who can write to it decides what runs.
if ('enableCompileCache' in nodeModule)
  nodeModule.enableCompileCache(join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'sync-tool'));

const bundle = new URL('../dist/sync-tool.js', import.meta.url);
if (existsSync(bundle)) await import(bundle.href);
else {
  process.stderr.write('sync-tool is incomplete: install it again, or call `npm run bundle` in a checkout.\n');
  process.exitCode = 1;
}
