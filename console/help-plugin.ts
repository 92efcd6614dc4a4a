// The help of the pages: the sections of docs/console.md, by their titles, as HTML. `virtual:help-titles` says which
// there are, `virtual:help` has them and is loaded when somebody asks.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { marked } from 'marked'
import type { Plugin } from 'vite'

const CHAPTER = fileURLToPath(new URL('../docs/console.md', import.meta.url))
const MODULES = ['virtual:help-titles', 'virtual:help']

export function helpOfPages(): Plugin {
  return {
    name: 'help-of-pages',
    resolveId: (id) => (MODULES.includes(id) ? `\0${id}` : undefined),
    load(id) {
      if (!MODULES.some((name) => id === `\0${name}`)) return undefined
      this.addWatchFile(CHAPTER)
      const sections = readSections()
      const content = id.endsWith('titles') ? Object.keys(sections) : sections
      return `export default ${JSON.stringify(content)}`
    },
  }
}

/** HTML by title, of each part of the chapter below a heading of the third level. */
function readSections(): Record<string, string> {
  const [, ...parts] = readFileSync(CHAPTER, 'utf8').split(/^### /m)
  const renderer = new marked.Renderer()
  // other documents are in the package, not on the server
  renderer.link = (_href, _title, text) => text
  const sections = parts.map((part) => {
    const [title = '', ...lines] = part.split('\n')
    const text = lines.join('\n').split(/^#{1,2} /m, 1)[0] ?? ''
    return [title.trim(), marked.parse(text, { renderer, async: false }) as string]
  })
  return Object.fromEntries(sections)
}
