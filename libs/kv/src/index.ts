export type { KeyValue, KvSpace, KvSpaceName, SetOptions } from './port.ts';
