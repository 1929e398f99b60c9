export { factsOf, type CodeFacts } from './codes.ts';
export { createEventMapper, type Mapped, type Receipt, type RejectCode, type Skip } from './map-event.ts';
export { defaultSettings, readSettings, type ReadSettings, type WebhookSettings } from './settings.ts';
export { eventBytesLimit } from './size.ts';
export { isoTime } from './time.ts';
