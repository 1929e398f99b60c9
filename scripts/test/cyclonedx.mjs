const types = new Set([
  'application',
  'framework',
  'library',
  'container',
  'platform',
  'operating-system',
  'data',
  'file',
]);
const licenses = new Set(['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'MPL-2.0', 'Unlicense']);
/** @type {Record<string, number>} */
const hashes = { 'SHA-256': 64, 'SHA-512': 128 };
const known = new Set([
  'type',
  'bom-ref',
  'group',
  'name',
  'version',
  'description',
  'hashes',
  'licenses',
  'purl',
  'cpe',
  'components',
]);

/** @param {any} component @returns {string[]} */
const componentProblems = (component) => {
  const { type, name, version, purl, cpe } = component;
  const wrong = [];
  if (!types.has(type)) wrong.push(`type ${type}`);
  if (!name) wrong.push('no name');
  if (!version) wrong.push('no version');
  if (purl !== undefined && !/^pkg:(npm|deb)\/[\w.%/-]+@[\w.%~-]+(\?[\w=&.-]+)?$/.test(purl))
    wrong.push(`purl ${purl}`);
  if (cpe !== undefined && !/^cpe:2\.3:a(:[^:]+){3}(:\*){7}$/.test(cpe)) wrong.push(`cpe ${cpe}`);
  for (const { alg, content } of component.hashes ?? [])
    if (!new RegExp(`^[0-9a-f]{${hashes[alg]}}$`).test(content)) wrong.push(`hash ${alg}`);
  for (const { license, expression } of component.licenses ?? [])
    if (expression === undefined && !licenses.has(license.id)) wrong.push(`licence ${license.id}`);
  for (const key of Object.keys(component)) if (!known.has(key)) wrong.push(`key ${key}`);
  return [...wrong.map((what) => `${name}: ${what}`), ...(component.components ?? []).flatMap(componentProblems)];
};

/**
 * Breaches of what the schema of CycloneDX 1.6 asks for, as far as such a document uses it.
 * @param {any} bom @returns {string[]}
 */
export const bomProblems = (bom) => {
  const { $schema, bomFormat, specVersion, serialNumber, version, metadata, components, dependencies, ...more } = bom;
  const problems = Object.keys(more).map((key) => `key ${key}`);
  if ($schema !== 'http://cyclonedx.org/schema/bom-1.6.schema.json') problems.push('$schema');
  if (bomFormat !== 'CycloneDX' || specVersion !== '1.6' || version !== 1) problems.push('head');
  if (!/^urn:uuid:[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/.test(serialNumber))
    problems.push(`serialNumber ${serialNumber}`);
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(metadata.timestamp)) problems.push(`timestamp ${metadata.timestamp}`);
  const all = [metadata.component, ...components];
  const refs = all.map((component) => component['bom-ref']);
  if (new Set(refs).size !== refs.length || refs.includes(undefined)) problems.push('bom-ref not unique');
  const ends = dependencies.flatMap((/** @type {any} */ { ref, dependsOn }) => [ref, ...dependsOn]);
  for (const ref of ends) if (!refs.includes(ref)) problems.push(`dependency on ${ref}, which is not there`);
  for (const ref of refs)
    if (dependencies.filter((/** @type {any} */ each) => each.ref === ref).length !== 1)
      problems.push(`${ref} has not one list of needs`);
  return [...problems, ...all.flatMap(componentProblems)];
};
