// NVTX for C++ (NVIDIA Tools Extension documentation, version 3, "C++ API", version 1): domains,
// ranges, marks and what describes them. No profiler listens here: an event keeps what it is told,
// and nothing else happens.
#if !defined(NVTX3_CPP_VERSION_MAJOR)
#define NVTX3_CPP_VERSION_MAJOR 1
#define NVTX3_CPP_VERSION_MINOR 0
// What says that version 1 of the interface is here.
#define NVTX3_CPP_DEFINITIONS_V1_0
#include "nvToolsExt.h"
#include <string>
#include <type_traits>
#include <utility>

namespace nvtx3 {
inline namespace v1 {

class domain {
public:
    struct global {};
    domain(const domain &) = delete;
    domain &operator=(const domain &) = delete;
    template <class D = global> static const domain &get() noexcept {
        static const domain d;
        return d;
    }
    operator nvtxDomainHandle_t() const noexcept { return nullptr; }

private:
    domain() noexcept = default;
};

struct rgb {
    using component_type = uint8_t;
    constexpr rgb(component_type r, component_type g, component_type b) noexcept
        : red{r}, green{g}, blue{b} {}
    component_type red, green, blue;
};
struct argb final : rgb {
    constexpr argb(component_type a, component_type r, component_type g, component_type b) noexcept
        : rgb{r, g, b}, alpha{a} {}
    component_type alpha;
};
class color {
public:
    using value_type = uint32_t;
    constexpr explicit color(value_type code) noexcept : value{code} {}
    constexpr color(argb c) noexcept
        : color{value_type(c.alpha) << 24 | value_type(c.red) << 16 | value_type(c.green) << 8 |
                c.blue} {}
    constexpr color(rgb c) noexcept : color{argb{0xff, c.red, c.green, c.blue}} {}
    constexpr value_type get_value() const noexcept { return value; }
    constexpr nvtxColorType_t get_type() const noexcept { return NVTX_COLOR_ARGB; }

private:
    value_type value;
};

class category {
public:
    using id_type = uint32_t;
    constexpr explicit category(id_type id) noexcept : id{id} {}
    constexpr id_type get_id() const noexcept { return id; }

private:
    id_type id;
};
template <class D = domain::global> class named_category_in final : public category {
public:
    template <class C> static const named_category_in &get() noexcept {
        static const named_category_in c{C::id, C::name};
        return c;
    }
    named_category_in(id_type id, const char *) noexcept : category{id} {}
    named_category_in(id_type id, const wchar_t *) noexcept : category{id} {}
};
using named_category = named_category_in<>;

template <class D = domain::global> class registered_string_in {
public:
    template <class M> static const registered_string_in &get() noexcept {
        static const registered_string_in s{M::message};
        return s;
    }
    explicit registered_string_in(const char *) noexcept {}
    explicit registered_string_in(const std::string &) noexcept {}
    explicit registered_string_in(const wchar_t *) noexcept {}
    explicit registered_string_in(const std::wstring &) noexcept {}
    nvtxStringHandle_t get_handle() const noexcept { return nullptr; }
};
using registered_string = registered_string_in<>;

class message {
public:
    using value_type = nvtxMessageValue_t;
    message(const char *text) noexcept : type{NVTX_MESSAGE_TYPE_ASCII} { value.ascii = text; }
    message(const std::string &text) noexcept : message{text.c_str()} {}
    message(std::string &&) = delete;
    message(const wchar_t *text) noexcept : type{NVTX_MESSAGE_TYPE_UNICODE} {
        value.unicode = text;
    }
    message(const std::wstring &text) noexcept : message{text.c_str()} {}
    message(std::wstring &&) = delete;
    template <class D>
    message(const registered_string_in<D> &s) noexcept : message{s.get_handle()} {}
    message(nvtxStringHandle_t handle) noexcept : type{NVTX_MESSAGE_TYPE_REGISTERED} {
        value.registered = handle;
    }
    message(nvtxMessageType_t type, const nvtxMessageValue_t &value) noexcept
        : type{type}, value(value) {}
    value_type get_value() const noexcept { return value; }
    nvtxMessageType_t get_type() const noexcept { return type; }

private:
    nvtxMessageType_t type;
    value_type value;
};

class payload {
public:
    using value_type = decltype(nvtxEventAttributes_t::payload);
    explicit payload(int64_t v) noexcept : type{NVTX_PAYLOAD_TYPE_INT64} { value.llValue = v; }
    explicit payload(int32_t v) noexcept : type{NVTX_PAYLOAD_TYPE_INT32} { value.iValue = v; }
    explicit payload(uint64_t v) noexcept : type{NVTX_PAYLOAD_TYPE_UNSIGNED_INT64} {
        value.ullValue = v;
    }
    explicit payload(uint32_t v) noexcept : type{NVTX_PAYLOAD_TYPE_UNSIGNED_INT32} {
        value.uiValue = v;
    }
    explicit payload(float v) noexcept : type{NVTX_PAYLOAD_TYPE_FLOAT} { value.fValue = v; }
    explicit payload(double v) noexcept : type{NVTX_PAYLOAD_TYPE_DOUBLE} { value.dValue = v; }
    payload(nvtxPayloadType_t type, const value_type &value) noexcept : type{type}, value(value) {}
    value_type get_value() const noexcept { return value; }
    nvtxPayloadType_t get_type() const noexcept { return type; }

private:
    nvtxPayloadType_t type;
    value_type value;
};

// The first of each kind counts.
class event_attributes {
public:
    using value_type = nvtxEventAttributes_t;
    event_attributes() noexcept : all{} {
        all.version = NVTX_VERSION;
        all.size = sizeof all;
    }
    template <class... A>
    event_attributes(const category &c, const A &...more) noexcept : event_attributes(more...) {
        all.category = c.get_id();
    }
    template <class... A>
    event_attributes(const color &c, const A &...more) noexcept : event_attributes(more...) {
        all.color = c.get_value();
        all.colorType = c.get_type();
    }
    template <class... A>
    event_attributes(const payload &p, const A &...more) noexcept : event_attributes(more...) {
        all.payload = p.get_value();
        all.payloadType = p.get_type();
    }
    template <class... A>
    event_attributes(const message &m, const A &...more) noexcept : event_attributes(more...) {
        all.message = m.get_value();
        all.messageType = m.get_type();
    }
    explicit event_attributes(const value_type &value) noexcept : all(value) {}
    const value_type *get() const noexcept { return &all; }

private:
    value_type all;
};

template <class D = domain::global> class scoped_range_in {
public:
    explicit scoped_range_in(const event_attributes &) noexcept {}
    template <class... A>
    explicit scoped_range_in(const A &...all) noexcept
        : scoped_range_in{event_attributes{all...}} {}
    scoped_range_in() noexcept : scoped_range_in{event_attributes{}} {}
    scoped_range_in(const scoped_range_in &) = delete;
    scoped_range_in &operator=(const scoped_range_in &) = delete;
    ~scoped_range_in() noexcept {}
};
using scoped_range = scoped_range_in<>;

struct range_handle {
    using value_type = nvtxRangeId_t;
    constexpr explicit range_handle(value_type id) noexcept : id{id} {}
    constexpr range_handle() noexcept : id{0} {}
    constexpr range_handle(std::nullptr_t) noexcept : id{0} {}
    constexpr explicit operator bool() const noexcept { return id != 0; }
    constexpr value_type get_value() const noexcept { return id; }
    friend constexpr bool operator==(range_handle a, range_handle b) noexcept {
        return a.id == b.id;
    }
    friend constexpr bool operator!=(range_handle a, range_handle b) noexcept {
        return a.id != b.id;
    }

private:
    value_type id;
};
template <class D = domain::global> range_handle start_range_in(const event_attributes &) noexcept {
    return range_handle{};
}
template <class D = domain::global, class... A>
range_handle start_range_in(const A &...all) noexcept {
    return start_range_in<D>(event_attributes{all...});
}
inline range_handle start_range(const event_attributes &all) noexcept {
    return start_range_in<>(all);
}
template <class... A> range_handle start_range(const A &...all) noexcept {
    return start_range_in<domain::global>(all...);
}
template <class D = domain::global> void end_range_in(range_handle) noexcept {}
inline void end_range(range_handle r) noexcept { end_range_in<>(r); }

template <class D = domain::global> class unique_range_in {
public:
    explicit unique_range_in(const event_attributes &) noexcept {}
    template <class... A>
    explicit unique_range_in(const A &...all) noexcept
        : unique_range_in{event_attributes{all...}} {}
    unique_range_in() noexcept : unique_range_in{event_attributes{}} {}
    unique_range_in(unique_range_in &&) noexcept = default;
    unique_range_in &operator=(unique_range_in &&) noexcept = default;
    unique_range_in(const unique_range_in &) = delete;
    unique_range_in &operator=(const unique_range_in &) = delete;
    ~unique_range_in() noexcept {}
};
using unique_range = unique_range_in<>;

template <class D = domain::global> void mark_in(const event_attributes &) noexcept {}
template <class D = domain::global, class... A> void mark_in(const A &...all) noexcept {
    mark_in<D>(event_attributes{all...});
}
inline void mark(const event_attributes &all) noexcept { mark_in<>(all); }
template <class... A> void mark(const A &...all) noexcept { mark_in<domain::global>(all...); }

} // namespace v1
} // namespace nvtx3

// The range of the function that it stands in.
#define NVTX3_V1_FUNC_RANGE_IN(D) \
    const ::nvtx3::scoped_range_in<D> nvtx3_range__ { __func__ }
#define NVTX3_V1_FUNC_RANGE_IF_IN(D, C) \
    (void)(C);                          \
    NVTX3_V1_FUNC_RANGE_IN(D)
#define NVTX3_V1_FUNC_RANGE() NVTX3_V1_FUNC_RANGE_IN(::nvtx3::domain::global)
#define NVTX3_V1_FUNC_RANGE_IF(C) NVTX3_V1_FUNC_RANGE_IF_IN(::nvtx3::domain::global, C)
#define NVTX3_FUNC_RANGE NVTX3_V1_FUNC_RANGE
#define NVTX3_FUNC_RANGE_IF NVTX3_V1_FUNC_RANGE_IF
#define NVTX3_FUNC_RANGE_IN NVTX3_V1_FUNC_RANGE_IN
#define NVTX3_FUNC_RANGE_IF_IN NVTX3_V1_FUNC_RANGE_IF_IN
#endif
