import { parseAllDocuments, stringify } from 'yaml';

/** @typedef {{ [key: string]: any }} Tree */

const head = `# The patrol sync for those without Helm. Made from charts/patrol-sync by node scripts/plain-manifests.mjs; change the chart instead.
#
# What it needs beside: the Secret patrol-sync with the token, the ConfigMap patrol-bundle with the files of the bundle, and the address of your
# site in the place of site.example. k8s/README.md has the commands.
`;

const ofHelm = /^(?:helm[.]sh\/|app[.]kubernetes[.]io\/managed-by$)/;

/** Without what is only for Helm. @param {Tree | undefined} marks labels or annotations */
const own = (marks = {}) => Object.fromEntries(Object.entries(marks).filter(([name]) => !ofHelm.test(name)));

/** @param {Tree} object @returns {Tree} */
const plain = ({ apiVersion, kind, metadata, ...rest }) => {
  const { name, labels, annotations } = metadata;
  const kept = own(annotations);
  const marks = { name, labels: own(labels), ...(Object.keys(kept).length > 0 ? { annotations: kept } : {}) };
  return { apiVersion, kind, metadata: marks, ...rest };
};

/** @param {Tree} object what only `helm test` makes */
const isHook = ({ metadata }) => metadata.annotations?.['helm.sh/hook'] !== undefined;

/** A rendering of the chart as manifests of no namespace. @param {string} rendered */
export const plainText = (rendered) => {
  const objects = parseAllDocuments(rendered)
    .map((document) => document.toJS())
    .filter((object) => object !== null && !isHook(object))
    .map((object) => stringify(plain(object), { lineWidth: 0, aliasDuplicateObjects: false }));
  return [head, ...objects].join('---\n');
};
