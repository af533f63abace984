/** A box that is ticked or not. Apart from the other fields: what needs no box does not load it. */
import { Checkbox, type CheckboxProps } from "react-aria-components"

export const CheckField = ({
  children,
  ...rest
}: Omit<CheckboxProps, "className" | "children"> & { readonly children: React.ReactNode }) => (
  <Checkbox {...rest} className="check">
    {({ isSelected }) => (
      <>
        <span className="check-box" aria-hidden="true">
          {isSelected ? "✓" : ""}
        </span>
        {children}
      </>
    )}
  </Checkbox>
)
