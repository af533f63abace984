/** A dialog above the page, which takes the focus and returns it. */
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from "react-aria-components"

interface DialogProps {
  readonly title: string
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly children: React.ReactNode
}

export const Dialog = ({ title, isOpen, onClose, children }: DialogProps) => (
  <ModalOverlay
    className="dialog-ground"
    isOpen={isOpen}
    isDismissable
    onOpenChange={(open) => {
      if (!open) onClose()
    }}
  >
    <Modal className="dialog-box">
      <AriaDialog>
        <Heading slot="title" level={2}>
          {title}
        </Heading>
        {children}
      </AriaDialog>
    </Modal>
  </ModalOverlay>
)
