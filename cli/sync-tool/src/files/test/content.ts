import { mergeChecklist } from '../../checklist/document.ts';

/** Content of a checklist. */
export const checklist = mergeChecklist('', { id: 'section.a@site', title: '# List', lines: [] }).content;

/** Beginning of a plan. */
export const plan = '{\n  "format": "patrol-datamodel-plan"\n}\n';
