// Asks to sign in again over the page that is open, when the session has ended: the page stays as it is, and what it
// was about to do goes on afterwards.
import '@mantine/core/styles/Overlay.layer.css'
import '@mantine/core/styles/ModalBase.layer.css'
import '@mantine/core/styles/Modal.layer.css'
import { Button, Modal, Text } from '@mantine/core'
import { useEffect } from 'react'
import { abandonSession, refreshSession } from '../api/session.ts'
import { useFocusBack } from '../components/dialog-focus.ts'
import { SignInForm } from '../components/sign-in-form.tsx'

export default function ExpiredSession() {
  useFocusBack()
  // another tab may have signed in meanwhile
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === 'visible') void refreshSession().catch(() => undefined) // asked again next time
    }
    document.addEventListener('visibilitychange', look)
    window.addEventListener('focus', look)
    return () => {
      document.removeEventListener('visibilitychange', look)
      window.removeEventListener('focus', look)
    }
  }, [])
  return (
    <Modal
      opened
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      lockScroll={false}
      returnFocus={false}
      centered
      title="Your session has ended"
    >
      <Text size="sm" c="dimmed" mb="md">
        Sign in again to continue. What you typed is still here.
      </Text>
      <SignInForm isOverPage />
      <Button variant="subtle" color="gray" fullWidth mt="xs" onClick={abandonSession}>
        Leave this page
      </Button>
    </Modal>
  )
}
