// Builds the console into dist/console of the package. Nothing is inlined, neither scripts nor styles nor pictures: the
// server sends it with a Content-Security-Policy that forbids that. In development requests go to a local server.
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'
import { errorsOfClient } from './errors-plugin.ts'
import { helpOfPages } from './help-plugin.ts'

import { themeVariables } from './theme-plugin.ts'
import { unusedParts } from './unused-parts-plugin.ts'

const root = fileURLToPath(new URL('.', import.meta.url))
const from = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
/** Where `npm run dev` finds the management API. */
const SERVER = process.env.ZEROHOP_API ?? 'http://127.0.0.1:8080'

/** Libraries of every page; tables and virtual rows come with the pages that have them. */
const BASE = /node_modules\/((react|react-dom|scheduler)\/|@tanstack\/(?!(react-)?(virtual|table)))/

/** What stands between an empty cache and the pages on which people begin. */
const FIRST_VIEW = new RegExp(
  [
    String.raw`console/src/(router|styles|theme|shell/(root|shell)|api/(one-time-link|query-client))\.tsx?$`,
    String.raw`console/src/pages/(sign-in/sign-in|overview/overview)-page\.tsx$`,
    'MantineProvider/MantineProvider|preload-helper',
  ].join('|'),
)

export default defineConfig({
  root,
  base: '/console/',
  plugins: [themeVariables(), helpOfPages(), errorsOfClient(), unusedParts()],
  resolve: {
    alias: {
      'zerohop/client': from('../src/client.ts'),
      // not in the package: sentences that the command line says, too
      'zerohop/fold-case': from('../src/model/fold-case.ts'),
      'zerohop/change-words': from('../src/model/change-words.ts'),
      'zerohop/reason-words': from('../src/model/reason-words.ts'),
      'zerohop/history-words': from('../src/kinds/history-words.ts'),
      // nor this: the operators of conditions, and what each takes
      'zerohop/conditions': from('../src/model/condition-operators.ts'),
      // nor this: times such as `7d`
      'zerohop/durations': from('../src/model/durations.ts'),
      // nor this: the kinds of objects that a policy file has
      'zerohop/policy-kinds': from('../src/model/policy-kinds.ts'),
    },
  },
  build: {
    outDir: from('../dist/console'),
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    // One style sheet: a part that was not reached the first time is loaded again, but never its style sheet.
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    license: { fileName: 'licenses.md' },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // Few files, because many small ones compress badly. First what seldom changes, then each with what it needs.
        codeSplitting: {
          groups: [
            { name: 'base', test: BASE, priority: 2 },
            { name: 'first-view', test: FIRST_VIEW, priority: 1 },
            { name: 'shared', minShareCount: 2 },
          ],
        },
      },
    },
  },
  server: { proxy: { '/console/api': { target: SERVER, changeOrigin: true, headers: { origin: SERVER } } } },
})
