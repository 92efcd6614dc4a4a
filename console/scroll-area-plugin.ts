// Dialogs of Mantine load its scroll area only to compare with it: 6 KB of every dialog, for what no page uses.
import type { Plugin } from 'vite'

const NAME = '\0no-scroll-area'
const DIALOGS = /@mantine\/core\/esm\/components\/(Modal|Drawer)\//

export function noScrollArea(): Plugin {
  return {
    name: 'no-scroll-area',
    enforce: 'pre',
    resolveId: (id, importer = '') =>
      id.endsWith('/ScrollArea/ScrollArea.mjs') && DIALOGS.test(importer) ? NAME : undefined,
    load: (id) => (id === NAME ? 'export const ScrollArea = { Autosize: null }' : undefined),
  }
}
