package packaging

import (
	"fmt"
	"io"
	"time"

	cyclonedx "github.com/CycloneDX/cyclonedx-go"
)

// Bill writes the bill of materials in the form of CycloneDX. It has no serial number,
// which would make two bills of the same programs differ.
func Bill(w io.Writer, version string, day time.Time, l Linked) error {
	bill := cyclonedx.NewBOM()
	own := cyclonedx.Component{
		BOMRef: "voice-gateway", Type: cyclonedx.ComponentTypeApplication, Name: "voice-gateway", Version: version,
		Licenses: &cyclonedx.Licenses{{License: &cyclonedx.License{ID: "MIT"}}},
	}
	bill.Metadata = &cyclonedx.Metadata{Timestamp: day.UTC().Format(time.RFC3339), Component: &own}
	components := []cyclonedx.Component{}
	references := []string{}
	for _, m := range l.Modules {
		c := cyclonedx.Component{
			Type: cyclonedx.ComponentTypeLibrary, Name: m.Path, Version: m.Version, Scope: cyclonedx.ScopeRequired,
			PackageURL: "pkg:golang/" + m.Path + "@" + m.Version, Licenses: &cyclonedx.Licenses{},
		}
		c.BOMRef = c.PackageURL
		for _, id := range m.Licences {
			*c.Licenses = append(*c.Licenses, cyclonedx.LicenseChoice{License: &cyclonedx.License{ID: id}})
		}
		if m.Sum != "" { // CycloneDX has no kind for Go's own sum of the module's files
			c.Properties = &[]cyclonedx.Property{{Name: "go:sum", Value: m.Sum}}
		}
		components, references = append(components, c), append(references, c.BOMRef)
	}
	for _, name := range l.Libraries {
		c := cyclonedx.Component{
			BOMRef: name, Type: cyclonedx.ComponentTypeLibrary, Name: name, Scope: cyclonedx.ScopeRequired,
			Description: "a shared library of the machine, loaded when a program starts",
		}
		components, references = append(components, c), append(references, c.BOMRef)
	}
	bill.Components = &components
	bill.Dependencies = &[]cyclonedx.Dependency{{Ref: own.BOMRef, Dependencies: &references}}
	encoder := cyclonedx.NewBOMEncoder(w, cyclonedx.BOMFileFormatJSON)
	if err := encoder.SetPretty(true).Encode(bill); err != nil {
		return fmt.Errorf("writing the bill of materials: %w", err)
	}
	return nil
}
