// Starts the console. A one-time link carries its token in the fragment, which no server ever sees: it is taken out of
// the address before anything else, and exchanged for a session.
import './styles.ts'
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { redeemLinkOfAddress } from './api/one-time-link.ts'
import { queryClient } from './api/query-client.ts'
import { router } from './router.ts'
import { theme } from './theme.ts'

const colorScheme = localStorageColorSchemeManager({ key: 'zerohop-color-scheme' })

redeemLinkOfAddress()
addEventListener('load', () => (globalThis.requestIdleCallback ?? setTimeout)(loadShared), { once: true })
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      colorSchemeManager={colorScheme}
      withCssVariables={false}
      withGlobalClasses={false}
    >
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)

/** Most of what the first page needs that is opened after the first view is shared by all: loaded before that. */
function loadShared(): void {
  import('./pages/policy/policy-page.tsx').catch(() => undefined) // opening a page says what is wrong
}
