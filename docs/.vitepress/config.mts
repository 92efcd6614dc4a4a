// The documentation site: the Markdown files of this repository as they are, with search and a dark mode, built to docs/.vitepress/dist.
// Nothing of it is loaded from another host: fonts and search come with VitePress. The build fails on a dead link.
import { posix } from 'node:path'
import { defineConfig, type MarkdownRenderer } from 'vitepress'

const page = (text: string, name: string) => ({ text, link: `/${name}` })

/** Links to what is no page of the site, such as `../Dockerfile`, become plain text. */
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

export default defineConfig({
  title: 'Zerohop',
  description: 'An authorization engine that runs inside your Node.js process',
  lang: 'en',
  rewrites: { 'README.md': 'index.md' },
  cleanUrls: true,
  lastUpdated: false,
  markdown: { config: unlinkFiles },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [page('Quick start', 'quick-start'), page('Library', 'library'), page('HTTP API', 'http-api')],
    sidebar: [
      {
        text: 'Use',
        items: [
          page('Quick start', 'quick-start'),
          page('Library', 'library'),
          page('In the browser', 'browser'),
          page('Clients', 'clients'),
          page('Production', 'production'),
          page('Replicas', 'replicas'),
          page('Integration backend', 'integration'),
          page('Off the first API version', 'migration'),
        ],
      },
      {
        text: 'Reference',
        items: [
          page('Semantics', 'semantics'),
          page('Cases', 'cases'),
          page('Conditions', 'conditions'),
          page('HTTP API', 'http-api'),
          page('PDP API', 'pdp-api'),
          page('AuthZEN', 'authzen'),
          page('Operations', 'operations'),
          page('Errors', 'errors'),
          page('Limits', 'limits'),
          page('Decision log', 'decision-log'),
          page('Glossary', 'glossary'),
        ],
      },
      {
        text: 'How it is made',
        items: [
          page('Architecture', 'architecture'),
          page('Promises', 'promises'),
          page('Track record', 'track-record'),
          page('What was run', 'runs'),
          page('Feed', 'feed'),
          page('Layout of an image', 'kernel-memory'),
          page('Measurements', 'bench/README'),
          page('Mutants', 'mutants'),
          page('Decisions', 'adr/README'),
        ],
      },
    ],
  },
})
