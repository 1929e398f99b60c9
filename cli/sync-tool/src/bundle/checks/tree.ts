import { quote } from '../describe.ts';
import type { AttributeOption } from '../model.ts';

const nameOf = ({ path, uuid }: AttributeOption): string => (path === null ? uuid : quote(path));

/**
 * Problems of the parents of a tree's nodes: those that are missing, and those that lead back to themselves (bundle contract, 5). Each
 * node is visited once, so that a long branch costs no more than its length.
 */
export const treeProblems = (options: readonly AttributeOption[]): readonly string[] => {
  const byUuid = new Map(options.map((option) => [option.uuid, option]));
  const visited = new Set<AttributeOption>();
  const problems: string[] = [];
  for (const option of options) {
    const branch = new Set<AttributeOption>();
    for (let node: AttributeOption | undefined = option; node !== undefined && !visited.has(node);) {
      visited.add(node);
      branch.add(node);
      const parent: AttributeOption | undefined = node.parentUuid === null ? undefined : byUuid.get(node.parentUuid);
      if (node.parentUuid !== null && parent === undefined)
        problems.push(
          `the node ${nameOf(node)} names the parent ${node.parentUuid}, which is no node of the attribute`,
        );
      if (parent !== undefined && branch.has(parent))
        problems.push(`the node ${nameOf(node)} is its own ancestor: its parents go in a circle`);
      node = parent;
    }
  }
  return problems;
};
