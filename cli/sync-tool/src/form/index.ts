export { jsonKindOf as kindOfField } from './draft.ts';
export { equalForms, kindsIn, mergeForm, propertiesOf } from './merge.ts';
export type { Fault, FormChange, FormField } from './model.ts';
export { emptyEnvelope, plannedForm } from './planned.ts';
