// The navigation on a narrow screen, over the page.
import '@mantine/core/styles/Overlay.layer.css'
import '@mantine/core/styles/ModalBase.layer.css'
import '@mantine/core/styles/Drawer.layer.css'
import { Drawer } from '@mantine/core'
import { useLocation } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useFocusBack } from '../components/dialog-focus.ts'
import { Navigation } from './navigation.tsx'

interface MobileNavigationProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onSearch: () => void
}

export default function MobileNavigation({ isOpen, onClose, onSearch }: MobileNavigationProps) {
  const { pathname } = useLocation()
  const opened = useRef(pathname)
  useFocusBack(isOpen)
  useEffect(() => {
    if (pathname !== opened.current) onClose()
    opened.current = pathname
  }, [pathname, onClose])
  return (
    <Drawer.Root opened={isOpen} onClose={onClose} size={280} padding={0} lockScroll={false} returnFocus={false}>
      <Drawer.Overlay />
      <Drawer.Content aria-label="Navigation">
        <Drawer.Body h="100%">
          <Navigation onSearch={onSearch} />
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  )
}
