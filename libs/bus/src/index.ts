export type {
  Batch,
  Bus,
  BusRecord,
  ConsumeOptions,
  DeadLetterDraft,
  Handler,
  OutgoingRecord,
  Outcome,
  PendingKey,
  ReadOptions,
  Subscription,
} from './port.ts';
