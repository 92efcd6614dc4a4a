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
