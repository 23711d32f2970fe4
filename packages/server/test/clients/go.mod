module shop

go 1.25.0

require (
	github.com/apapsch/go-jsonmerge/v2 v2.0.0
	github.com/google/uuid v1.6.0
	github.com/oapi-codegen/runtime v1.8.0
)
