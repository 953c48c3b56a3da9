package mcpint

// Fault says in one word why a server is not connected, by what a person has to check. It
// stands in the status, and sentences are chosen by it.
type Fault string

// The faults. All others need no check beyond the words of the error.
const (
	FaultOther         Fault = ""
	FaultNotFound      Fault = "not_found"      // there is no such program
	FaultNotExecutable Fault = "not_executable" // there is a file, and it cannot be started
	FaultEnded         Fault = "ended"          // the process ended
	FaultSlow          Fault = "slow"           // no answer in time
	FaultNotMCP        Fault = "not_mcp"        // an answer, and not one of an MCP server
	FaultUnauthorized  Fault = "unauthorized"   // it wants to know who we are, or does not let us in
	FaultNoPage        Fault = "no_page"        // there is nothing at the address's path
	FaultNoName        Fault = "no_name"        // the network does not know the name
	FaultRefused       Fault = "refused"        // nothing listens at the address
	FaultTLS           Fault = "tls"            // no secure connection
	FaultNeeds         Fault = "needs"          // what it needs is missing, so it is not started yet
)

// Faults lists all of them but FaultOther.
func Faults() []Fault {
	return []Fault{
		FaultNotFound, FaultNotExecutable, FaultEnded, FaultSlow, FaultNotMCP, FaultUnauthorized, FaultNoPage, FaultNoName, FaultRefused,
		FaultTLS, FaultNeeds,
	}
}
