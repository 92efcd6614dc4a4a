// Leaves out what Mantine's components import and no page uses, 8 KB: dialogs compare with the scroll area, and text
// areas have one that grows. Whoever uses one of them takes its line away here.
import type { Plugin } from 'vite'

interface Unused {
  readonly importer: RegExp
  readonly file: string
  /** what the importer finds instead */
  readonly code: string
}

const UNUSED: readonly Unused[] = [
  {
    importer: /@mantine\/core\/esm\/components\/(Modal|Drawer)\//,
    file: '/ScrollArea/ScrollArea.mjs',
    code: 'export const ScrollArea = { Autosize: null }',
  },
  {
    importer: /@mantine\/core\/esm\/components\/Textarea\//,
    file: '/Autosize.mjs',
    code: 'export const TextareaAutosize = null',
  },
]

export function unusedParts(): Plugin {
  return {
    name: 'unused-parts',
    enforce: 'pre',
    resolveId(id, importer = '') {
      const found = UNUSED.find((unused) => id.endsWith(unused.file) && unused.importer.test(importer))
      return found && `\0unused${found.file}`
    },
    load: (id) => UNUSED.find(({ file }) => id === `\0unused${file}`)?.code,
  }
}
