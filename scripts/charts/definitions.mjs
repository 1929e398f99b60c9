import { crds } from '@ranger-relay/operator';
import { stringify } from 'yaml';

const head = '# Written by npm run charts; change services/operator/src/api instead.\n';

/** The definitions of the operator's kinds for those without Helm, as its schemas say them. @returns {{ file: string, text: string }[]} */
export const definitionFiles = () =>
  Object.entries(crds()).map(([name, crd]) => ({
    file: `services/operator/crds/${name}`,
    text: head + stringify(crd, { lineWidth: 0, singleQuote: true }),
  }));
