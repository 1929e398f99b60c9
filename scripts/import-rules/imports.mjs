import { parseAst } from 'rolldown/parseAst';

/** Nodes whose `source` names another module. */
const importing = new Set([
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'ImportExpression',
  'TSImportType',
]);

/** What AVA's `test` can be told besides, without putting a test in a row. */
const loose = new Set(['only', 'skip', 'failing', 'todo']);

/** @param {unknown} node @param {(node: Record<string, unknown>) => void} visit */
const walk = (node, visit) => {
  if (node === null || typeof node !== 'object') return;
  if (Array.isArray(node)) {
    for (const item of node) walk(item, visit);
    return;
  }
  const object = /** @type {Record<string, unknown>} */ (node);
  visit(object);
  for (const value of Object.values(object)) walk(value, visit);
};

/** `process.exit(…)`. @param {Record<string, any>} node */
const isExit = ({ type, callee }) =>
  type === 'CallExpression' &&
  callee?.type === 'MemberExpression' &&
  callee.object?.name === 'process' &&
  callee.property?.name === 'exit';

/** `test(…)` or `test.only(…)`: a test that runs at once with the others of its file. @param {Record<string, any>} node */
const isLooseTest = ({ type, callee }) =>
  type === 'CallExpression' &&
  (callee?.name === 'test' || (callee?.object?.name === 'test' && loose.has(callee.property?.name)));

/** Declarations whose `id` is a name that this file gives. */
const declaring = new Set([
  'VariableDeclarator',
  'FunctionDeclaration',
  'ClassDeclaration',
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
]);

/** The name that `a as b` gives, in an import or an export. @param {Record<string, any>} node @returns {string | undefined} */
const aliasOf = ({ type, imported, exported, local }) => {
  if (type === 'ExportSpecifier') return exported.name;
  return type === 'ImportSpecifier' && local.name !== imported.name ? local.name : undefined;
};

/**
 * What a source says about other modules, about ending the process and about tests at the same time, and the names that it
 * gives.
 * @typedef {{ specifiers: string[], exits: boolean, looseTests: boolean, names: string[] }} SourceFacts
 */

/**
 * Reads one source. An `import()` whose argument is no literal is passed over: it names nothing yet.
 * @param {string} text @param {'ts' | 'js'} lang
 * @returns {SourceFacts}
 */
export const readSource = (text, lang) => {
  /** @type {Set<string>} */
  const specifiers = new Set();
  /** @type {Set<string>} */
  const names = new Set();
  let [exits, looseTests] = [false, false];
  walk(parseAst(text, { lang, sourceType: 'module' }), (node) => {
    const source = /** @type {{ value?: unknown } | null | undefined} */ (node.source);
    if (importing.has(String(node.type)) && typeof source?.value === 'string') specifiers.add(source.value);
    const { name } = /** @type {{ name?: unknown }} */ (node.id ?? {});
    if (declaring.has(String(node.type)) && typeof name === 'string') names.add(name);
    const alias = aliasOf(node);
    if (alias !== undefined) names.add(alias);
    if (isExit(node)) exits = true;
    if (isLooseTest(node)) looseTests = true;
  });
  return { specifiers: [...specifiers], exits, looseTests, names: [...names] };
};
