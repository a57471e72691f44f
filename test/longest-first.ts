import { relative } from 'node:path';
import { BaseSequencer, type TestSequencerConstructor, type TestSpecification } from 'vitest/node';

/**
 * Begins with these files, in this order: one of the longest that began last would keep the other processes waiting. A project of
 * which a file is named comes before the others of its group. The rest is in the order of Vitest.
 */
export function longestFirst(longest: readonly string[]): TestSequencerConstructor {
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const sorted = await super.sort(files);
      const placeOf = ({ project, moduleId }: TestSpecification) => {
        const place = longest.indexOf(relative(project.config.root, moduleId).replaceAll('\\', '/'));
        return place < 0 ? longest.length : place;
      };
      const projects = new Map<string, number>();
      for (const file of sorted) {
        const { name } = file.project;
        projects.set(name, Math.min(projects.get(name) ?? longest.length, placeOf(file)));
      }
      const groupOf = ({ project }: TestSpecification) => project.config.sequence.groupOrder;
      const firstOf = ({ project }: TestSpecification) => projects.get(project.name) ?? longest.length;
      return sorted.sort(
        (a, b) => groupOf(a) - groupOf(b) || firstOf(a) - firstOf(b) || placeOf(a) - placeOf(b),
      );
    }
  };
}
