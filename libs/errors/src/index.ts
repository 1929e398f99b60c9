export type { Next } from './entry.ts';
export { entryOf, registry, type ErrorCode } from './registry.ts';
export { isExactNumber, isObject, jsonOf, numberText, parseExactJson } from './exact-json.ts';
export { isRelayError, RelayError, toRelayError } from './relay-error.ts';
export { cleanJson, cleanText, cleanTexts, cutText, escapedText } from './text.ts';
