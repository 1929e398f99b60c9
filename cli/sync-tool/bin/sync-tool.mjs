#!/usr/bin/env node
import './older-node.mjs';

await import('../dist/sync-tool.js');
