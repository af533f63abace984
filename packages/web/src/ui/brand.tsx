/** The product's sign and name. */
import icon from "./icon.svg"

export const Brand = () => (
  <span className="brand">
    <img src={icon} alt="" /> Gathercue
  </span>
)
