// The documentation site: the Markdown files of this repository as they are, with search and a dark mode, built to docs/.vitepress/dist.
// Nothing of it is loaded from another host: fonts and search come with VitePress. The build fails on a dead link, and
// on a page that would load something from elsewhere. Imports only types of VitePress, so that test/site.test.ts can read it.
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import type { MarkdownRenderer, SiteConfig, UserConfig } from 'vitepress'
import { toAnchor } from './anchor.mts'
import { findForeign } from './foreign.mts'
import { SECTIONS } from './pages.mts'

const page = (text: string, name: string) => ({ text, link: `/${name}` })

/** Links to files outside the site, such as `../Dockerfile`, become plain text. */
function unlinkFiles(md: MarkdownRenderer): void {
  md.core.ruler.push('unlink-files', ({ tokens, env }) => {
    const folder = posix.dirname(String(env.relativePath))
    for (const { children } of tokens) {
      let isFile = false
      for (const token of children ?? []) {
        if (token.type === 'link_open') isFile = isOutside(folder, token.attrGet('href') ?? '')
        if (!isFile || !token.type.startsWith('link_')) continue
        Object.assign(token, { type: token.type.replace('link', 'span'), tag: 'span', attrs: null })
      }
    }
  })
}

function isOutside(folder: string, target: string): boolean {
  if (/^(https?:|mailto:|#|\/)/.test(target)) return false
  return posix.join(folder, target).startsWith('../')
}

/** Fails the build if a page or a style sheet would load something from another host. */
function refuseForeign({ outDir }: SiteConfig): void {
  const files = readdirSync(outDir, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(html|css)$/.test(name))
  const foreign = files.flatMap((name) =>
    findForeign(readFileSync(join(outDir, name), 'utf8')).map((address) => `${name}: ${address}`),
  )
  if (foreign.length > 0) throw new Error(`the site would load from another host:\n${foreign.join('\n')}`)
}

const config: UserConfig = {
  title: 'Zerohop',
  description: 'An authorization engine that runs inside your Node.js process',
  lang: 'en',
  rewrites: { 'README.md': 'index.md' },
  cleanUrls: true,
  lastUpdated: false,
  markdown: { config: unlinkFiles, anchor: { slugify: toAnchor } },
  buildEnd: refuseForeign,
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [page('Quick start', 'quick-start'), page('Library', 'library'), page('HTTP API', 'http-api')],
    sidebar: SECTIONS.map(([text, pages]) => ({ text, items: pages.map(([title, name]) => page(title, name)) })),
  },
}

export default config
