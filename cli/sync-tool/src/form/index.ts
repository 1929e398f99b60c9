export { describeChange } from './describe.ts';
export { equalForms, mergeForm, type MergedForm } from './merge.ts';
export { ourSection, type Fault, type FormChange, type FormField, type FormKind } from './model.ts';
export { emptyEnvelope, plannedForm } from './planned.ts';
export { validateForm } from './validate.ts';
