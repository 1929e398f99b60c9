/**
 * Breaches of the rules about the root's own files, one sentence each.
 * @param {{ references: readonly string[], folders: readonly string[], lock: Record<string, Record<string, any>> }} root
 *   what the root's tsconfig.json refers to; folders that have one of their own; the lockfile's `packages`
 * @returns {string[]}
 */
export const rootProblems = ({ references, folders, lock }) => {
  const fetched = Object.entries(lock).filter(([path, { link }]) => path.includes('node_modules/') && !link);
  return [
    ...folders
      .filter((folder) => !references.includes(folder))
      .map((folder) => `tsconfig.json: the reference to ${folder} is missing`),
    ...fetched
      .filter(([, entry]) => !entry.integrity?.startsWith('sha512-'))
      .map(([path]) => `package-lock.json: ${path} has no sha512 integrity`),
    ...fetched
      .filter(([, { resolved }]) => resolved !== undefined && !resolved.startsWith('https://'))
      .map(([path]) => `package-lock.json: ${path} is not fetched by https`),
  ];
};
